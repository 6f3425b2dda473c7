import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'

/** Longest gap that counts, as a share of the window: a weekend within a week does, a month of silence does not. */
const gapShareMax = 0.4

/**
 * How long the judged evidence spans: from its first exchange to its last, less the excess of gaps that are too long.
 * So a stray observation from a month ago, with nothing since, does not make a month of evidence.
 */
export function spannedBy(
  { buckets, bucketMs }: RollupRange,
  window: { beganAt: EpochMs; lastAt: EpochMs; duration: Milliseconds },
): Milliseconds {
  if (buckets.length === 0) return 0
  const gapMax = gapShareMax * window.duration
  let unvouched = 0
  for (let i = 1; i < buckets.length; i++) {
    const gap = buckets[i]!.at - (buckets[i - 1]!.at + bucketMs)
    unvouched += Math.max(0, gap - gapMax)
  }
  const from = Math.max(buckets[0]!.at, window.beganAt, window.lastAt - window.duration)
  return Math.max(0, window.lastAt - from - unvouched)
}
