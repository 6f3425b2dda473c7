import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import { hasCompared } from '../metrics/evidence/exchanges.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'

/** Longest gap that counts, as a share of the window: a weekend within a week does, a month of silence does not. */
const gapShareMax = 0.4

interface JudgedWindow {
  beganAt: EpochMs
  lastAt: EpochMs
  duration: Milliseconds
}

/**
 * Where the last compared exchange before the judged span must be, for the gap in which that span begins to count;
 * `undefined` if it begins in none.
 */
export function spanBefore({ from, buckets, bucketMs }: RollupRange, { beganAt, duration }: JudgedWindow) {
  const first = buckets.find(({ sums }) => hasCompared(sums))
  if (first === undefined || first.at === from || beganAt >= from) return undefined
  return { from: first.at - gapShareMax * duration - bucketMs, to: from }
}

/**
 * How long the judged evidence spans: from its first compared exchange to its last, less the excess of gaps that are too
 * long. So a stray observation from a month ago, with nothing since, does not make a month of evidence. A gap in which the
 * judged span begins, such as a weekend, counts like one within it: `before` is the last bucket before that span that has
 * a compared exchange.
 */
export function spannedBy(
  { buckets, bucketMs }: RollupRange,
  window: JudgedWindow & { before: EpochMs | undefined },
): Milliseconds {
  const filled = buckets.filter(({ sums }) => hasCompared(sums))
  const [first] = filled
  if (first === undefined) return 0
  const gapMax = gapShareMax * window.duration
  let unvouched = 0
  filled.forEach(({ at }, i) => {
    // after the last one, further exchanges may have been skipped
    const gap = (filled[i + 1]?.at ?? window.lastAt) - (at + bucketMs)
    unvouched += Math.max(0, gap - gapMax)
  })
  const { before = Number.NEGATIVE_INFINITY } = window
  const isInGap = first.at - (before + bucketMs) <= gapMax
  const from = Math.max(isInGap ? 0 : first.at, window.beganAt, window.lastAt - window.duration)
  return Math.max(0, window.lastAt - from - unvouched)
}
