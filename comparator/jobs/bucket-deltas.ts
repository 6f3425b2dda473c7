import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import { accumulate } from '../metrics/accumulate.ts'
import type { Contribution } from '../metrics/contribution.ts'
import type { BucketDelta } from '../store/rollups.ts'
import type { WindowRow } from '../store/tables.ts'

/** Charts of recent days show minutes where the gate's own buckets are longer. */
const chartBucketMs: Milliseconds = 60_000

/** The widths of the rollups that a window keeps, the gate's first. */
export function resolutionsOf(gateBucketMs: Milliseconds): Milliseconds[] {
  return gateBucketMs > chartBucketMs ? [gateBucketMs, chartBucketMs] : [gateBucketMs]
}

/** Collects contributions by bucket, in every resolution that their window keeps. */
export class BucketDeltas {
  readonly #buckets = new Map<string, Omit<BucketDelta, 'sums' | 'bins'> & { parts: Contribution[] }>()

  add(window: Pick<WindowRow, 'id' | 'bucket_ms'>, at: EpochMs, contribution: Contribution): void {
    for (const bucketMs of resolutionsOf(window.bucket_ms)) {
      const start = Math.floor(at / bucketMs) * bucketMs
      const key = `${window.id} ${bucketMs} ${start}`
      const bucket = this.#buckets.get(key)
      if (bucket) bucket.parts.push(contribution)
      else this.#buckets.set(key, { windowId: window.id, bucketMs, slice: '', at: start, parts: [contribution] })
    }
  }

  toArray(): BucketDelta[] {
    return [...this.#buckets.values()].map(({ parts, ...key }) => ({ ...key, ...accumulate(parts) }))
  }
}
