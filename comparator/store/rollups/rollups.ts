import { sql } from 'kysely'
import type { EpochMs, Milliseconds } from '../../../vocabulary/units.ts'
import type { RollupRange } from '../../metrics/rollup-range.ts'
import type { Db, Tx } from '../database/open-database.ts'
import { readGroups, spansOf } from './folded-groups.ts'
import { sumsDecoder } from './rollup-bytes.ts'
import type { RollupQuery } from './rollup-query.ts'
import { bucketName, deleteRollups, type Rollup, saveRollups, storedRollups, sumOfRollups } from './rollup-rows.ts'

/**
 * Adds deltas to the stored rollups; each bucket may occur once. The transaction must hold the lock of the windows'
 * validation, since two that read and write the same bucket would lose counts.
 */
export async function addToRollups(tx: Tx, deltas: readonly Rollup[]): Promise<void> {
  if (deltas.length === 0) return
  const spans = spansOf(deltas)
  const stored = await storedRollups(tx, [...deltas, ...spans])
  const known = new Map(stored.map((rollup) => [bucketName(rollup), rollup]))
  // folded copies of buckets that change now are outdated
  const folded = spans.filter((span) => known.has(bucketName(span)))
  if (folded.length > 0) await deleteRollups(tx, folded)
  await saveRollups(
    tx,
    deltas.map((delta) => {
      const rollup = known.get(bucketName(delta))
      return rollup === undefined ? delta : sumOfRollups(rollup, delta)
    }),
  )
}

/**
 * A window's rollups with `from ≤ bucket start < to`. Cells and histograms are merged over groups of `groupMs`, aligned
 * to the epoch; all other sums are by bucket.
 */
export async function readRollups(db: Db | Tx, query: RollupQuery): Promise<RollupRange> {
  const { from, to, bucketMs } = query
  return { from, to, bucketMs, buckets: await readSums(db, query), groups: await readGroups(db, query) }
}

/** The sums of a window's buckets with `from ≤ start < to`, in order of time, without those of cells. */
export async function readSums(
  db: Db | Tx,
  { windowId, bucketMs, slice = '', from, to }: Omit<RollupQuery, 'groupMs'>,
): Promise<RollupRange['buckets']> {
  const { rows } = await sql<{ at: Date; sums: Uint8Array }>`
    select at, sums from rollup
    where window_id = ${windowId} and bucket_ms = ${bucketMs} and slice = ${slice}
      and at >= ${new Date(from)} and at < ${new Date(to)}
    order by at
  `.execute(db)
  const decode = sumsDecoder()
  return rows.map(({ at, sums }) => ({ at: at.getTime(), sums: decode(sums) }))
}

/**
 * Deletes rollups of this width where it is finer than the gate's own: they only serve the charts of recent days. The
 * conditions follow the rollups' key, as the others are kept for ever, and must not be read.
 */
export async function deleteFineRollupsBefore(db: Db, bucketMs: Milliseconds, before: EpochMs): Promise<void> {
  await sql`
    delete from rollup r using evidence_window w
    where w.bucket_ms > ${bucketMs} and r.window_id = w.id and r.bucket_ms = ${bucketMs} and r.slice = ''
      and r.at < ${new Date(before)}
  `.execute(db)
}
