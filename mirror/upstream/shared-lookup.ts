import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import type { Milliseconds } from '../../vocabulary/units.ts'

type Answer = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void
type Result = Parameters<Answer>
export type Lookup = (hostname: string, options: LookupOptions, answer: Answer) => void

/** Far below the time limit for making a connection. */
const patienceMs: Milliseconds = 1000

interface Name {
  /** Callers that the lookup in progress will answer; undefined if there is none. */
  waiting: Answer[] | undefined
  lastGood: Result | undefined
  /** The last lookup failed, or is taking too long. */
  isInDoubt: boolean
}

/**
 * `dns.lookup`, made once for all concurrent callers with the same name: each lookup holds one of the few threads that
 * disk access and compression also need, for as long as the name server does not answer.
 *
 * Every connection triggers a lookup and normally gets its result. If the lookup fails or takes longer than
 * `patienceMs`, the last good result is used, and from then on at once, until a background lookup has succeeded. A name
 * server that is down, or other names that keep the threads busy, must not make an upstream unreachable. Names come
 * from the config, so there are few of them.
 */
export class SharedLookup {
  readonly #resolve: Lookup
  readonly #patienceMs: Milliseconds
  readonly #names = new Map<string, Name>()

  constructor(resolve: Lookup = lookup, patience: Milliseconds = patienceMs) {
    this.#resolve = resolve
    this.#patienceMs = patience
  }

  /** How many names are currently served from memory. */
  get inDoubt(): number {
    return [...this.#names.values()].filter(({ isInDoubt, lastGood }) => isInDoubt && lastGood).length
  }

  readonly lookup: Lookup = (hostname, options, answer) => {
    const key = `${hostname} ${JSON.stringify(options)}`
    const nothing = () => ({ waiting: undefined, lastGood: undefined, isInDoubt: false })
    const name = this.#names.getOrInsertComputed(key, nothing)
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

/** How many upstream names currently can't be resolved, so that their last address is used. */
export const namesInDoubt = (): number => shared.inDoubt
