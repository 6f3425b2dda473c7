import { type EpochMs, hourMs, type Milliseconds, minuteMs, type TimeSpan } from '../../vocabulary/units.ts'
import type { Bins } from '../statistics/bin-counts.ts'
import type { Sums } from '../statistics/sums.ts'

/** The rollups of one window over a span, as the store returns them. */
export interface RollupRange extends TimeSpan {
  bucketMs: Milliseconds
  /** Non-empty buckets in order of time, with all sums except those of cells. */
  buckets: { at: EpochMs; sums: Sums }[]
  /**
   * Cells and histograms, of which a bucket has thousands, merged over groups of neighbouring buckets. Non-empty groups
   * in order of time, at most `groupsMax`.
   */
  groups: BucketGroup[]
}

/** The matrix cells and histograms of a group of buckets. */
export interface BucketGroup {
  at: EpochMs
  cells: Sums
  bins: Bins
}

/** Enough groups for a jackknife's standard error, and few enough to read a month of them at once. */
export const groupsMax = 48

/** A window has at least this many buckets, which are the units of every bound. */
const bucketsPerWindowMin = 48

const second: Milliseconds = 1000
const widths: Milliseconds[] = [
  hourMs,
  30 * minuteMs,
  15 * minuteMs,
  10 * minuteMs,
  5 * minuteMs,
  2 * minuteMs,
  minuteMs,
  30 * second,
  15 * second,
  10 * second,
  5 * second,
  2 * second,
]

/**
 * The bucket width of a window: an hour, shorter for windows under two days so that there are 48; at least a second.
 */
export function bucketWidth(duration: Milliseconds): Milliseconds {
  return widths.find((width) => duration / width >= bucketsPerWindowMin) ?? second
}

/** Divisors of a day. The store keeps half days folded, and reads multiples of these from them. */
const hoursOfGroup = [1, 2, 3, 4, 6, 12, 24]

/** Slices are many, so their buckets are wider as long as a window still has this many. */
const sliceBucketsMin = 96

/** The bucket width of slices: the gate's own, or for hours a number of them that divides a day. */
export function sliceBucketWidth(bucketMs: Milliseconds, duration: Milliseconds): Milliseconds {
  if (bucketMs < hourMs) return bucketMs
  const hours = hoursOfGroup.findLast((count) => count < 24 && duration / (count * hourMs) >= sliceBucketsMin)
  return (hours ?? 1) * hourMs
}

/**
 * The width of a group: a multiple of the bucket width such that the span has at most `groupsMax` groups. With hourly
 * buckets it divides a day, or is a number of whole days.
 */
export function groupWidth({ from, to, bucketMs }: TimeSpan & { bucketMs: Milliseconds }): Milliseconds {
  return roundedWidth(bucketMs * Math.max(1, Math.ceil(Math.ceil((to - from) / bucketMs) / groupsMax)), bucketMs)
}

/** The width itself or, for hourly buckets, the next one that divides a day or is a number of whole days. */
export function roundedWidth(width: Milliseconds, bucketMs: Milliseconds): Milliseconds {
  if (bucketMs < hourMs) return width
  const hours = width / hourMs
  return hourMs * (hoursOfGroup.find((count) => count >= hours) ?? 24 * Math.ceil(hours / 24))
}
