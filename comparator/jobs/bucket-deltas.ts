import { dayMs, type EpochMs, type Milliseconds, minuteMs } from '../../vocabulary/units.ts'
import { type Accumulated, accumulate, combined } from '../metrics/contributions/accumulate.ts'
import type { Contribution } from '../metrics/contributions/contribution.ts'
import { sliceBucketWidth } from '../metrics/rollup-range.ts'
import type { WindowRow } from '../store/database/tables.ts'
import { type BucketKey, bucketName, type Rollup } from '../store/rollups/rollup-rows.ts'

/** Where the gate's buckets are longer than a minute, minutes are kept too, for charts of recent days. */
export const chartBucketMs = minuteMs
export const chartBucketsKept: Milliseconds = 7 * dayMs

/** The bucket widths that a window's rollups are kept in, the gate's first. */
export function resolutionsOf(gateBucketMs: Milliseconds): Milliseconds[] {
  return gateBucketMs > chartBucketMs ? [gateBucketMs, chartBucketMs] : [gateBucketMs]
}

/** The same, but only those that are kept of evidence since `from`. */
export function resolutionsSince(from: EpochMs, gateBucketMs: Milliseconds, now: EpochMs): Milliseconds[] {
  return from - chartBucketMs < now - chartBucketsKept ? [gateBucketMs] : resolutionsOf(gateBucketMs)
}

/** The bucket width of a window's slices. */
export function sliceBucketOf({ bucket_ms, policy }: Pick<WindowRow, 'bucket_ms' | 'policy'>): Milliseconds {
  return sliceBucketWidth(bucket_ms, policy.window.duration)
}

/**
 * Collects contributions by bucket: those of all traffic in every bucket width of their window, those of slices in one.
 * Contributions to the same set of buckets are summed only once.
 */
export class BucketDeltas {
  readonly #alike = new Map<string, { buckets: BucketKey[]; parts: Contribution[] }>()

  add(
    window: Pick<WindowRow, 'id' | 'bucket_ms' | 'policy'>,
    at: EpochMs,
    contribution: Contribution,
    slices: readonly string[],
  ): void {
    // the finest bucket determines the others, whose widths are multiples of its own
    const finest = startOf(at, resolutionsOf(window.bucket_ms).at(-1)!)
    const name = `${window.id} ${finest} ${slices.join('\0')}`
    const alike = this.#alike.getOrInsertComputed(name, () => ({ buckets: bucketsOf(window, at, slices), parts: [] }))
    alike.parts.push(contribution)
  }

  toArray(): Rollup[] {
    const rollups = new Map<string, { bucket: BucketKey; parts: Accumulated[] }>()
    for (const { buckets, parts } of this.#alike.values()) {
      const accumulated = accumulate(parts)
      for (const bucket of buckets) {
        rollups.getOrInsertComputed(bucketName(bucket), () => ({ bucket, parts: [] })).parts.push(accumulated)
      }
    }
    return [...rollups.values()].map(({ bucket, parts }) => ({ ...bucket, ...combined(parts) }))
  }
}

function bucketsOf(
  window: Pick<WindowRow, 'id' | 'bucket_ms' | 'policy'>,
  at: EpochMs,
  slices: readonly string[],
): BucketKey[] {
  const bucketOf = (slice: string, bucketMs: Milliseconds) => ({
    windowId: window.id,
    bucketMs,
    slice,
    at: startOf(at, bucketMs),
  })
  const sliceMs = sliceBucketOf(window)
  return [
    ...resolutionsOf(window.bucket_ms).map((bucketMs) => bucketOf('', bucketMs)),
    ...slices.map((slice) => bucketOf(slice, sliceMs)),
  ]
}

const startOf = (at: EpochMs, bucketMs: Milliseconds) => Math.floor(at / bucketMs) * bucketMs
