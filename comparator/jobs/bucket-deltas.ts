import { type EpochMs, type Milliseconds, minuteMs } from '../../vocabulary/units.ts'
import { type Accumulated, accumulate, combined } from '../metrics/accumulate.ts'
import type { Contribution } from '../metrics/add-value.ts'
import { sliceBucketWidth } from '../metrics/rollup-range.ts'
import { type BucketKey, bucketName, type Rollup } from '../store/rollup-rows.ts'
import type { WindowRow } from '../store/tables.ts'

/** Charts of recent days show minutes where the gate's own buckets are longer. */
const chartBucketMs = minuteMs

/** The widths of the rollups that a window keeps, the gate's first. */
export function resolutionsOf(gateBucketMs: Milliseconds): Milliseconds[] {
  return gateBucketMs > chartBucketMs ? [gateBucketMs, chartBucketMs] : [gateBucketMs]
}

/** The width of the buckets that a window's slices are kept in. */
export function sliceBucketOf({ bucket_ms, policy }: Pick<WindowRow, 'bucket_ms' | 'policy'>): Milliseconds {
  return sliceBucketWidth(bucket_ms, policy.window.duration)
}

/**
 * Collects contributions by bucket: of all traffic in every resolution that their window keeps, of slices in one. What
 * counts in the same buckets is added up once for all of them.
 */
export class BucketDeltas {
  readonly #alike = new Map<string, { buckets: BucketKey[]; parts: Contribution[] }>()

  add(
    window: Pick<WindowRow, 'id' | 'bucket_ms' | 'policy'>,
    at: EpochMs,
    contribution: Contribution,
    slices: readonly string[] = [],
  ): void {
    // every other width is a multiple of the finest
    const finest = startOf(at, resolutionsOf(window.bucket_ms).at(-1)!)
    const name = `${window.id} ${finest} ${slices.join('\0')}`
    const alike = this.#alike.get(name)
    if (alike) alike.parts.push(contribution)
    else this.#alike.set(name, { buckets: bucketsOf(window, at, slices), parts: [contribution] })
  }

  toArray(): Rollup[] {
    const rollups = new Map<string, { bucket: BucketKey; parts: Accumulated[] }>()
    for (const { buckets, parts } of this.#alike.values()) {
      const accumulated = accumulate(parts)
      for (const bucket of buckets) {
        const rollup = rollups.get(bucketName(bucket))
        if (rollup) rollup.parts.push(accumulated)
        else rollups.set(bucketName(bucket), { bucket, parts: [accumulated] })
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
    ...{ windowId: window.id, bucketMs, slice },
    at: startOf(at, bucketMs),
  })
  const sliceMs = sliceBucketOf(window)
  return [
    ...resolutionsOf(window.bucket_ms).map((bucketMs) => bucketOf('', bucketMs)),
    ...slices.map((slice) => bucketOf(slice, sliceMs)),
  ]
}

const startOf = (at: EpochMs, bucketMs: Milliseconds) => Math.floor(at / bucketMs) * bucketMs
