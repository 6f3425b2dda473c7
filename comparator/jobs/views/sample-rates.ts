import { sizeClasses } from '../../../vocabulary/size-class.ts'
import { type EpochMs, type Milliseconds, minuteMs } from '../../../vocabulary/units.ts'
import { exchangeMeasure } from '../../metrics/measures.ts'
import type { WindowRow } from '../../store/database/tables.ts'
import { recentSums } from '../../store/rollups/recent-sums.ts'
import { resolutionsOf } from '../bucket-deltas.ts'
import type { Comparator } from '../comparator.ts'

const rateOver: Milliseconds = 5 * minuteMs

/** Exchanges compared per minute, by window id, over the last five minutes or since the window began. */
export async function sampleRates(
  { db, clock }: Pick<Comparator, 'db' | 'clock'>,
  windows: readonly WindowRow[],
): Promise<Map<number, number>> {
  const now = clock.now()
  const spans = windows.map((window) => ({ id: window.id, ...spanOf(window, now) }))
  const samples = await recentSums(db, sizeClasses.map(exchangeMeasure), spans)
  return new Map(
    spans.map(({ id, since, bucketMs }) => {
      const minutes = Math.max(now - since, bucketMs) / minuteMs
      return [id, rounded((samples.get(id) ?? 0) / minutes)]
    }),
  )
}

function spanOf({ bucket_ms, began_at }: WindowRow, now: EpochMs) {
  const bucketMs = resolutionsOf(bucket_ms).at(-1)!
  const since = Math.floor(Math.max(now - rateOver, began_at.getTime()) / bucketMs) * bucketMs
  return { bucketMs, since }
}

/** Three digits: further ones would only follow the clock. */
const rounded = (rate: number) => Number(rate.toPrecision(3))
