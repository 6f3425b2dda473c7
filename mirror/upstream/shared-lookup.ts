import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import type { Milliseconds } from '../../vocabulary/units.ts'

type Answer = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void
type Result = Parameters<Answer>
export type Lookup = (hostname: string, options: LookupOptions, answer: Answer) => void

/** Far below the time that a connection has to be made. */
const patienceMs: Milliseconds = 1000

interface Name {
  /** Those that the lookup under way is to answer; undefined while there is none. */
  waiting: Answer[] | undefined
  lastGood: Result | undefined
  /** The last lookup failed, or is taking too long. */
  isInDoubt: boolean
}

/**
 * `dns.lookup`, once for all who ask for the same name at the same time: each takes one of the few threads that disk and
 * compression need too, for as long as a name server does not answer.
 *
 * Every connection asks anew, and gets what the name server says now. Where that fails, or takes longer than
 * `patienceMs`, the last good answer serves, and from then on at once until a lookup in the background has gone well: a
 * name server that is away, or other names that keep the threads busy, must not make an upstream unreachable. Names come
 * from the config, so that there are few of them.
 */
export class SharedLookup {
  readonly #resolve: Lookup
  readonly #patienceMs: Milliseconds
  readonly #names = new Map<string, Name>()

  constructor(resolve: Lookup = lookup, patience: Milliseconds = patienceMs) {
    this.#resolve = resolve
    this.#patienceMs = patience
  }

  /** How many names are served from memory now. */
  get inDoubt(): number {
    return [...this.#names.values()].filter(({ isInDoubt, lastGood }) => isInDoubt && lastGood).length
  }

  readonly lookup: Lookup = (hostname, options, answer) => {
    const key = `${hostname} ${JSON.stringify(options)}`
    const name = this.#names.get(key) ?? { waiting: undefined, lastGood: undefined, isInDoubt: false }
    this.#names.set(key, name)
    const { lastGood, isInDoubt } = name
    const isServed = lastGood !== undefined && isInDoubt
    if (isServed) process.nextTick(() => answer(...lastGood))
    if (name.waiting) {
      if (!isServed) name.waiting.push(answer)
      return
    }
    name.waiting = isServed ? [] : [answer]
    this.#ask(name, hostname, options)
  }

  #ask(name: Name, hostname: string, options: LookupOptions): void {
    const tell = (...result: Result) => {
      const asked = name.waiting!
      name.waiting = []
      for (const answer of asked) answer(...result)
    }
    const overdue = setTimeout(() => {
      name.isInDoubt = true
      if (name.lastGood) tell(...name.lastGood)
    }, this.#patienceMs)
    overdue.unref()
    this.#resolve(hostname, options, (...result) => {
      clearTimeout(overdue)
      const [error] = result
      name.isInDoubt = error !== null
      if (!error) name.lastGood = result
      tell(...(name.lastGood ?? result))
      name.waiting = undefined
    })
  }
}

const shared = new SharedLookup()

export const sharedLookup = shared.lookup

/** How many names of upstreams can't be resolved now, so that their last address is used. */
export const namesInDoubt = (): number => shared.inDoubt
