import { createHistogram } from 'node:perf_hooks'
import type { Milliseconds } from '../../vocabulary/units.ts'

const microseconds = 1000
const longestMs: Milliseconds = 3_600_000
const significantFigures = 3

/** Node's HDR histogram in ms: a constant 144 KB, quantiles within 0.1 %, and two of them can be added. */
export class Latencies {
  readonly #histogram = createHistogram({ lowest: 1, highest: longestMs * microseconds, figures: significantFigures })

  get count(): number {
    return this.#histogram.count
  }
  get mean(): Milliseconds {
    return this.#histogram.mean / microseconds
  }
  get max(): Milliseconds {
    return this.count === 0 ? Number.NaN : this.#histogram.max / microseconds
  }
  get min(): Milliseconds {
    return this.count === 0 ? Number.NaN : this.#histogram.min / microseconds
  }

  record(ms: Milliseconds): void {
    this.#histogram.record(Math.max(1, Math.round(Math.min(ms, longestMs) * microseconds)))
  }

  add(other: Latencies): void {
    if (other.count > 0) this.#histogram.add(other.#histogram)
  }

  /** The smallest latency that at least `percent` of all do not exceed; NaN if nothing was recorded. */
  percentile(percent: number): Milliseconds {
    const { count } = this
    if (count === 0) return Number.NaN
    // the histogram rounds a fractional rank to the nearest, so it is asked for a whole one
    return this.#histogram.percentile((100 * rankOf(percent, count)) / count) / microseconds
  }
}

/** Which of `count` values, counted from the smallest, is the percentile; rounded up, except for binary rounding errors. */
export const rankOf = (percent: number, count: number): number =>
  Math.max(1, Math.ceil(Number(((percent / 100) * count).toPrecision(12))))
