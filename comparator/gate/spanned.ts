import { sum } from 'simple-statistics'
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
 * Where the last compared exchange before the judged range must be, for a gap at its start to count; `undefined` if there
 * is no such gap.
 */
export function spanBefore({ from, buckets, bucketMs }: RollupRange, { beganAt, lastAt, duration }: JudgedWindow) {
  const compared = buckets.filter(({ sums }) => hasCompared(sums))
  const [first, last] = [compared[0], compared.at(-1)]
  if (first === undefined || last === undefined || beganAt >= from) return undefined
  const start = Math.max(beganAt, endOf(last.at, bucketMs, lastAt) - duration)
  if (first.at <= start) return undefined
  // the range ends with what was skipped since, so what is spanned may begin before it
  return { from: first.at - gapShareMax * duration - bucketMs, to: Math.min(from, start + 1) }
}

/**
 * How long the judged evidence spans: up to its last compared exchange and at most the duration, less the excess of gaps
 * that are too long. So a stray observation from a month ago, with nothing since, does not make a month of evidence. A gap
 * at the start of the judged range, such as a weekend, counts like one within it: `before` is the last bucket in
 * `spanBefore` that has a compared exchange.
 */
export function spannedBy(
  { buckets, bucketMs }: RollupRange,
  { beganAt, lastAt, duration, before = Number.NEGATIVE_INFINITY }: JudgedWindow & { before: EpochMs | undefined },
): Milliseconds {
  const compared = buckets.filter(({ sums }) => hasCompared(sums))
  const [first, last] = [compared[0], compared.at(-1)]
  if (first === undefined || last === undefined) return 0
  const gapMax = gapShareMax * duration
  const excesses = compared.slice(1).map(({ at }, i) => Math.max(0, at - (compared[i]!.at + bucketMs) - gapMax))
  const isInGap = first.at - (before + bucketMs) <= gapMax
  const end = endOf(last.at, bucketMs, lastAt)
  const from = Math.max(isInGap ? before : first.at, beganAt, end - duration)
  return Math.max(0, end - from - sum(excesses))
}

/** When the last compared exchange was, as far as it is known: further ones may have been skipped after it. */
const endOf = (at: EpochMs, bucketMs: Milliseconds, lastAt: EpochMs) => Math.min(lastAt, at + bucketMs)
