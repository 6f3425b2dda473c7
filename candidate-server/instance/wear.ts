import type { Clock } from '../../runtime/clock.ts'
import type { Bytes, Milliseconds, MonotonicMs } from '../../vocabulary/units.ts'

/** `auto`: by what a fresh process has once its model is warm. */
type RssMax = Bytes | 'auto' | 'none'

export interface WearLimits {
  /** Runs of one process; none where left out. */
  recycleAfter?: number | undefined
  rssMax: RssMax
  /** Over which a run is ended, with its process. */
  runRssMax?: Bytes | 'none' | undefined
}

/** Half of what a run may have beyond a fresh process is left to it at least. */
export function autoRssMax(freshBytes: Bytes, runRssMax: WearLimits['runRssMax'] = 'none'): Bytes {
  const most = 2 * freshBytes + 512 * 1024 * 1024
  return runRssMax === 'none' ? most : Math.min(most, (freshBytes + runRssMax) / 2)
}

const pauseMinMs = 10_000
/** What fills up sooner leaks less than its requests are large: a fresh process is of no use, and loading it takes the cores. */
const soonMs = 600_000

/** Decides when an instance's process is worn, and gets a successor. */
export class Wear {
  readonly #limits: WearLimits
  readonly #clock: Clock
  #rssBytesMax: Bytes = Number.POSITIVE_INFINITY
  #since: MonotonicMs = 0
  #notBefore: MonotonicMs = 0
  #pauseMs: Milliseconds = pauseMinMs

  constructor(limits: WearLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  /** A process takes its place. */
  begin(freshRssBytes: Bytes): void {
    const { rssMax, runRssMax } = this.#limits
    this.#since = this.#clock.monotonic()
    if (rssMax === 'auto') this.#rssBytesMax = autoRssMax(freshRssBytes, runRssMax)
    else if (rssMax !== 'none') this.#rssBytesMax = rssMax
  }

  /** The limit that its process is at, for the first time in a while. */
  limitReached(runs: number, rssBytes: Bytes): 'limits.recycleAfter' | 'limits.rssMax' | undefined {
    const { recycleAfter = Number.POSITIVE_INFINITY } = this.#limits
    const limit =
      runs >= recycleAfter ? 'limits.recycleAfter' : rssBytes > this.#rssBytesMax ? 'limits.rssMax' : undefined
    const now = this.#clock.monotonic()
    if (!limit || now < this.#notBefore) return undefined
    const isSoon = limit === 'limits.rssMax' && now - this.#since < soonMs
    this.#notBefore = now + this.#pauseMs
    this.#pauseMs = isSoon ? Math.min(2 * this.#pauseMs, soonMs) : pauseMinMs
    return limit
  }
}
