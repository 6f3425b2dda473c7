import { Latencies } from './latencies.ts'
import type { SendOutcome } from './load-client.ts'

/** Bounds memory: names beyond these are counted under a single one. */
const namesMax = 50
const reasonsMax = 50
const others = '(others)'

/** The results of all requests, or of those with one name such as `POST /predictions/digits`. */
export interface Entry {
  requests: number
  failures: number
  /** Only answers below status 400. */
  latencies: Latencies
}

export interface Failures {
  count: number
  /** The response to the first failure, if there was one. */
  example: string
}

const emptyEntry = (): Entry => ({ requests: 0, failures: 0, latencies: new Latencies() })

export class Tally {
  readonly total = emptyEntry()
  readonly byName = new Map<string, Entry>()
  readonly byReason = new Map<string, Failures>()

  record(name: string, outcome: SendOutcome, latencyMs: number): void {
    for (const entry of [this.total, this.#entryOf(name)]) {
      entry.requests++
      if (outcome.kind === 'answered') entry.latencies.record(latencyMs)
      else entry.failures++
    }
    if (outcome.kind === 'failed') this.#countFailure(outcome.reason, outcome.example)
  }

  #entryOf(name: string): Entry {
    const known = this.byName.get(name) ?? (this.byName.size < namesMax ? undefined : this.byName.get(others))
    if (known) return known
    const entry = emptyEntry()
    this.byName.set(this.byName.size < namesMax ? name : others, entry)
    return entry
  }

  #countFailure(reason: string, example: string): void {
    const key = this.byReason.has(reason) || this.byReason.size < reasonsMax ? reason : others
    this.byReason.getOrInsertComputed(key, () => ({ count: 0, example })).count++
  }
}
