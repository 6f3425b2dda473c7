import { type EpochMs, hourMs, type Milliseconds, minuteMs } from '../../vocabulary/units.ts'
import type { Bins } from '../statistics/bin-counts.ts'
import type { Sums } from '../statistics/sums.ts'

/** The rollups of one validation and one window over [from, to), as the store hands them back. */
export interface RollupRange {
  from: EpochMs
  to: EpochMs
  bucketMs: Milliseconds
  /** All sums but those of cells; ascending; only buckets that hold something. */
  buckets: { at: EpochMs; sums: Sums }[]
  /**
   * What a bucket has thousands of, merged over contiguous groups of buckets; ascending; only groups
   * that hold some; at most `groupsMax`.
   */
  groups: BucketGroup[]
}

/** The sums of cells of matrices, and histograms. */
export interface BucketGroup {
  at: EpochMs
  cells: Sums
  bins: Bins
}

/** Enough groups for a jackknife's standard error; few enough that a month of them is read in one go. */
export const groupsMax = 48

/** A window is cut into at least this many buckets: they are the independent units of every bound. */
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

/** An hour; for windows under two days as much shorter as at least 48 buckets take; never under a second. */
export function bucketWidth(duration: Milliseconds): Milliseconds {
  return widths.find((width) => duration / width >= bucketsPerWindowMin) ?? second
}

/** What divides a day; half days, and what is made of them, the store keeps folded. */
const hoursOfGroup = [1, 2, 3, 4, 6, 12, 24]

/** Slices are many: where a window has more hours than this takes, their buckets are wider. */
const sliceBucketsMin = 96

/** The width of the buckets that slices are kept in: the gate's own, or of hours as many as divide a day. */
export function sliceBucketWidth(bucketMs: Milliseconds, duration: Milliseconds): Milliseconds {
  if (bucketMs < hourMs) return bucketMs
  const hours = hoursOfGroup.findLast((count) => count < 24 && duration / (count * hourMs) >= sliceBucketsMin)
  return (hours ?? 1) * hourMs
}

/**
 * The width of a group: whole buckets, so wide that [from, to) has at most `groupsMax` of them. Hours make groups
 * that divide a day, or whole days.
 */
export function groupWidth(range: { from: EpochMs; to: EpochMs; bucketMs: Milliseconds }): Milliseconds {
  const { from, to, bucketMs } = range
  return roundedWidth(bucketMs * Math.max(1, Math.ceil(Math.ceil((to - from) / bucketMs) / groupsMax)), bucketMs)
}

/** The width, or, of hours, the next wider one that divides a day or is whole days. */
export function roundedWidth(width: Milliseconds, bucketMs: Milliseconds): Milliseconds {
  if (bucketMs < hourMs) return width
  const hours = width / hourMs
  return hourMs * (hoursOfGroup.find((count) => count >= hours) ?? 24 * Math.ceil(hours / 24))
}
