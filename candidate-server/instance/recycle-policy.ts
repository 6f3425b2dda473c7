import type { Clock } from '../../runtime/clock.ts'
import type { Bytes, Milliseconds, MonotonicMs } from '../../vocabulary/units.ts'

/** `auto`: derived from the memory of a fresh process with a warm model. */
type RssMax = Bytes | 'auto' | 'none'

export interface RecycleLimits {
  /** Runs per process; unlimited by default. */
  recycleAfter?: number | undefined
  rssMax: RssMax
  /** A run that exceeds this is ended together with its process. */
  runRssMax?: Bytes | 'none' | undefined
}

/** Leaves a run at least half of the memory between a fresh process and `runRssMax`. */
export function autoRssMax(freshBytes: Bytes, runRssMax: RecycleLimits['runRssMax'] = 'none'): Bytes {
  const most = 2 * freshBytes + 512 * 1024 * 1024
  return runRssMax === 'none' ? most : Math.min(most, (freshBytes + runRssMax) / 2)
}

const pauseMinMs = 10_000
/**
 * Memory that fills up sooner is due to large requests, not a leak: a fresh process would not help, and loading it
 * costs CPU time.
 */
const soonMs = 600_000

/** Decides when an instance's process is to be recycled: replaced by a fresh one. */
export class RecyclePolicy {
  readonly #limits: RecycleLimits
  readonly #clock: Clock
  #rssBytesMax: Bytes = Number.POSITIVE_INFINITY
  #since: MonotonicMs = 0
  #notBefore: MonotonicMs = 0
  #pauseMs: Milliseconds = pauseMinMs
  /** Whether the process in service was to be replaced before; its successor then failed. */
  #tried = false

  constructor(limits: RecycleLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  /** Call when a process goes into service. */
  begin(freshRssBytes: Bytes): void {
    const { rssMax, runRssMax } = this.#limits
    this.#since = this.#clock.monotonic()
    this.#tried = false
    if (rssMax === 'auto') this.#rssBytesMax = autoRssMax(freshRssBytes, runRssMax)
    else if (rssMax !== 'none') this.#rssBytesMax = rssMax
  }

  /** The limit that the process has reached; reported once, then not again for a while. */
  limitReached(runs: number, rssBytes: Bytes): 'limits.recycleAfter' | 'limits.rssMax' | undefined {
    const { recycleAfter = Number.POSITIVE_INFINITY } = this.#limits
    const limit =
      runs >= recycleAfter ? 'limits.recycleAfter' : rssBytes > this.#rssBytesMax ? 'limits.rssMax' : undefined
    const now = this.#clock.monotonic()
    if (!limit || now < this.#notBefore) return undefined
    const isSoon = limit === 'limits.rssMax' && now - this.#since < soonMs
    this.#notBefore = now + this.#pauseMs
    this.#pauseMs = isSoon || this.#tried ? Math.min(2 * this.#pauseMs, soonMs) : pauseMinMs
    this.#tried = true
    return limit
  }
}
