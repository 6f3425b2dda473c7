import type { Milliseconds, MonotonicMs } from '../vocabulary/units.ts'
import type { Clock } from './clock.ts'

/** Paces log lines that others may cause without end: for each key at most one in `everyMs`. Keys must be few. */
export class LogPace {
  readonly #everyMs: Milliseconds
  readonly #clock: Clock
  readonly #lines = new Map<string, { at: MonotonicMs; leftOut: number }>()

  constructor(everyMs: Milliseconds, clock: Clock) {
    this.#everyMs = everyMs
    this.#clock = clock
  }

  /** Returns how many lines were left out since the last one; undefined if this one must be left out too. */
  due(key = ''): number | undefined {
    const last = this.#lines.get(key)
    const now = this.#clock.monotonic()
    if (last && now - last.at < this.#everyMs) {
      last.leftOut++
      return undefined
    }
    this.#lines.set(key, { at: now, leftOut: 0 })
    return last?.leftOut ?? 0
  }
}
