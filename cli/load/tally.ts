import { Latencies } from './latencies.ts'
import type { SendOutcome } from './load-client.ts'

/** Memory is bounded: what goes beyond these is counted under one name. */
const namesMax = 50
const reasonsMax = 50
const others = '(others)'

/** What became of the requests of one name, such as `POST /predictions/digits`, or of all. */
export interface Entry {
  requests: number
  failures: number
  /** Of those that were answered below 400. */
  latencies: Latencies
}

export interface Failures {
  count: number
  /** What the first of them answered, where it did. */
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
    const failures = this.byReason.get(key)
    if (failures) failures.count++
    else this.byReason.set(key, { count: 1, example })
  }
}
