import { sql } from 'kysely'
import type { EpochMs, Milliseconds } from '../../../vocabulary/units.ts'
import { type Bins, mergeBins } from '../../statistics/bin-counts.ts'
import { mergeSums, type Sums } from '../../statistics/sums.ts'
import { toJson } from '../database/json.ts'
import type { Tx } from '../database/open-database.ts'
import type { RollupRow } from '../database/tables.ts'
import { binsDecoder, encodeBins, encodeSums, sumsDecoder } from './rollup-bytes.ts'

/** The key of a rollup row: window, bucket width, slice ('' is all traffic) and the bucket's start. */
export interface BucketKey {
  windowId: number
  bucketMs: Milliseconds
  slice: string
  at: EpochMs
}

/** The key as a string, for maps. */
export function bucketName({ windowId, bucketMs, slice, at }: BucketKey): string {
  return `${windowId} ${bucketMs} ${at} ${slice}`
}

export interface Rollup extends BucketKey {
  /** All sums except those of cells. */
  sums: Sums
  cells: Sums
  bins: Bins
}

/**
 * Reads the stored rollups of these buckets. A rollup is one row per bucket with all its measures, and is added to here
 * rather than in the database: with a row per measure, every bundle would need dozens of upserts, and a month tens of
 * thousands of reads. Matrix cells, of which there may be thousands, have a column of their own, which most queries of
 * a slice do not read.
 */
export async function storedRollups(tx: Tx, keys: readonly BucketKey[]): Promise<Rollup[]> {
  const { rows } = await sql<RollupRow>`
    select r.* from ${recordsOf(keys)} join rollup r
      on r.window_id = key."windowId" and r.bucket_ms = key."bucketMs" and r.slice = key.slice and r.at = key.at
  `.execute(tx)
  const [decodeSums, decodeCells, decodeBins] = [sumsDecoder(), sumsDecoder(), binsDecoder()]
  return rows.map(({ window_id, bucket_ms, slice, at, sums, cells, bins }) => ({
    windowId: window_id,
    bucketMs: bucket_ms,
    slice,
    at: at.getTime(),
    sums: decodeSums(sums),
    cells: decodeCells(cells),
    bins: decodeBins(bins),
  }))
}

/** Writes rollups, replacing any that are stored. */
export async function saveRollups(tx: Tx, rollups: readonly Rollup[]): Promise<void> {
  const rows = rollups.map(({ sums, cells, bins, ...key }) => ({
    ...recordOf(key),
    sums: encodeSums(sums).toString('base64'),
    cells: encodeSums(cells).toString('base64'),
    bins: encodeBins(bins).toString('base64'),
  }))
  await sql`
    insert into rollup (window_id, bucket_ms, slice, at, sums, cells, bins)
    select "windowId", "bucketMs", slice, at, decode(sums, 'base64'), decode(cells, 'base64'), decode(bins, 'base64')
    from json_to_recordset(${toJson(rows)}::json) as row (
      "windowId" bigint, "bucketMs" integer, slice text, at timestamptz, sums text, cells text, bins text)
    order by 1, 2, 3, 4
    on conflict (window_id, bucket_ms, slice, at) do update set
      sums = excluded.sums, cells = excluded.cells, bins = excluded.bins
  `.execute(tx)
}

export async function deleteRollups(tx: Tx, keys: readonly BucketKey[]): Promise<void> {
  await sql`
    delete from rollup r using ${recordsOf(keys)}
    where r.window_id = key."windowId" and r.bucket_ms = key."bucketMs" and r.slice = key.slice and r.at = key.at
  `.execute(tx)
}

/** The sum of both rollups; modifies `a`'s sums in place. Of a measure that was taken back whole nothing remains. */
export function sumOfRollups(a: Rollup, b: Rollup): Rollup {
  mergeSums(a.sums, b.sums)
  for (const measure of b.sums.keys()) if (a.sums.get(measure)!.n === 0) a.sums.delete(measure)
  mergeSums(a.cells, b.cells)
  return { ...a, bins: mergeBins([a.bins, b.bins]) }
}

const recordOf = ({ windowId, bucketMs, slice, at }: BucketKey) => ({ windowId, bucketMs, slice, at: new Date(at) })

const recordsOf = (keys: readonly BucketKey[]) => sql`
  json_to_recordset(${toJson(keys.map(recordOf))}::json) as key (
    "windowId" bigint, "bucketMs" integer, slice text, at timestamptz)`
