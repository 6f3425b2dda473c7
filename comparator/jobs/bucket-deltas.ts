import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import { accumulate } from '../metrics/accumulate.ts'
import type { Contribution } from '../metrics/contribution.ts'
import { sliceBucketWidth } from '../metrics/rollup-range.ts'
import type { BucketDelta } from '../store/rollups.ts'
import type { WindowRow } from '../store/tables.ts'

/** Charts of recent days show minutes where the gate's own buckets are longer. */
const chartBucketMs: Milliseconds = 60_000

/** The widths of the rollups that a window keeps, the gate's first. */
export function resolutionsOf(gateBucketMs: Milliseconds): Milliseconds[] {
  return gateBucketMs > chartBucketMs ? [gateBucketMs, chartBucketMs] : [gateBucketMs]
}

/** The width of the buckets that a window's slices are kept in. */
export function sliceBucketOf({ bucket_ms, policy }: Pick<WindowRow, 'bucket_ms' | 'policy'>): Milliseconds {
  return sliceBucketWidth(bucket_ms, policy.window.duration)
}

/** Collects contributions by bucket: of all traffic in every resolution that their window keeps, of slices in one. */
export class BucketDeltas {
  readonly #buckets = new Map<string, Omit<BucketDelta, 'sums' | 'bins'> & { parts: Contribution[] }>()

  add(
    window: Pick<WindowRow, 'id' | 'bucket_ms' | 'policy'>,
    at: EpochMs,
    contribution: Contribution,
    slices: readonly string[] = [],
  ): void {
    for (const bucketMs of resolutionsOf(window.bucket_ms)) this.#add(window.id, bucketMs, '', at, contribution)
    const sliceMs = sliceBucketOf(window)
    for (const slice of slices) this.#add(window.id, sliceMs, slice, at, contribution)
  }

  #add(windowId: number, bucketMs: Milliseconds, slice: string, at: EpochMs, contribution: Contribution): void {
    const start = Math.floor(at / bucketMs) * bucketMs
    const key = `${windowId} ${bucketMs} ${start} ${slice}`
    const bucket = this.#buckets.get(key)
    if (bucket) bucket.parts.push(contribution)
    else this.#buckets.set(key, { windowId, bucketMs, slice, at: start, parts: [contribution] })
  }

  toArray(): BucketDelta[] {
    return [...this.#buckets.values()].map(({ parts, ...key }) => ({ ...key, ...accumulate(parts) }))
  }
}
