import { sql } from 'kysely'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import type { Sum } from '../metrics/accumulate.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'
import type { BinCounts } from '../statistics/bin-counts.ts'
import { addToHistograms, readHistograms } from './histograms.ts'
import { toJson } from './json.ts'
import type { Db, Tx } from './open-database.ts'
import { packedSums, unpackSums } from './packed-sums.ts'

/** Where a rollup row belongs: a window, a resolution, a slice of the traffic ('' is all of it) and the bucket's start. */
export interface BucketKey {
  windowId: number
  bucketMs: Milliseconds
  slice: string
  at: EpochMs
}

export interface BucketDelta extends BucketKey {
  sums: ReadonlyMap<string, Sum>
  bins: ReadonlyMap<string, BinCounts>
}

/** Adds to the rollups, in a transaction that holds the lock of the windows' validation. Keys go in order. */
export async function addToRollups(tx: Tx, deltas: readonly BucketDelta[]): Promise<void> {
  await addToSums(tx, deltas)
  await addToHistograms(tx, deltas)
}

async function addToSums(tx: Tx, deltas: readonly BucketDelta[]): Promise<void> {
  const rows = deltas.flatMap(({ windowId, bucketMs, slice, at, sums }) =>
    [...sums].map(([measure, sum]) => ({ windowId, bucketMs, slice, at: new Date(at), measure, ...sum })),
  )
  if (rows.length === 0) return
  await sql`
    insert into rollup_sum (window_id, bucket_ms, slice, at, measure, n, sum, sum_sq, min, max)
    select * from json_to_recordset(${toJson(rows)}::json) as row (
      "windowId" bigint, "bucketMs" integer, slice text, at timestamptz, measure text,
      n bigint, sum double precision, "sumSq" double precision, min double precision, max double precision)
    order by 1, 2, 3, 4, 5
    on conflict (window_id, bucket_ms, slice, at, measure) do update set
      n = rollup_sum.n + excluded.n, sum = rollup_sum.sum + excluded.sum,
      sum_sq = rollup_sum.sum_sq + excluded.sum_sq,
      min = least(rollup_sum.min, excluded.min), max = greatest(rollup_sum.max, excluded.max)
  `.execute(tx)
}

export interface RollupQuery {
  windowId: number
  bucketMs: Milliseconds
  /** '' is all of the traffic. */
  slice?: string
  from: EpochMs
  to: EpochMs
  groupMs: Milliseconds
}

/**
 * A window's rollups with `from ≤ bucket start < to`. Histograms come merged over groups of `groupMs`, aligned to the
 * epoch; sums bucket by bucket.
 */
export async function readRollups(db: Db | Tx, query: RollupQuery): Promise<RollupRange> {
  const { from, to, bucketMs } = query
  return { from, to, bucketMs, buckets: await readSums(db, query), binGroups: await readHistograms(db, query) }
}

async function readSums(
  db: Db | Tx,
  { windowId, bucketMs, slice = '', from, to }: RollupQuery,
): Promise<RollupRange['buckets']> {
  const { rows } = await sql<{ at: Date; measures: string[]; packed: Uint8Array }>`
    select at, json_agg(measure) as measures, ${packedSums} as packed
    from rollup_sum
    where window_id = ${windowId} and bucket_ms = ${bucketMs} and slice = ${slice}
      and at >= ${new Date(from)} and at < ${new Date(to)}
    group by at order by at
  `.execute(db)
  return rows.map(({ at, measures, packed }) => ({ at: at.getTime(), sums: unpackSums(measures, packed) }))
}
