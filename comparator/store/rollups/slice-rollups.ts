import { sql } from 'kysely'
import type { MeasuresRead } from '../../metrics/catalogue/measures-read.ts'
import type { RollupRange } from '../../metrics/rollup-range.ts'
import { toJson } from '../database/json.ts'
import type { Db } from '../database/open-database.ts'
import { type GroupRow, groupsOf } from './folded-groups.ts'
import { sumsDecoder } from './rollup-bytes.ts'
import type { RollupQuery } from './rollup-query.ts'

interface SliceQuery extends Omit<RollupQuery, 'slice'> {
  slices: readonly string[]
  /** Limits sums and histograms to these measures. */
  measures: MeasuresRead
}

interface Row extends GroupRow {
  slice: string
  sums: Uint8Array
}

/** The rollups of many slices, limited to some measures. The result has every slice asked for, empty ones too. */
export async function readSliceRollups(db: Db, query: SliceQuery): Promise<Map<string, RollupRange>> {
  const { from, to, bucketMs, groupMs, measures } = query
  const ranges = new Map(
    query.slices.map((slice): [string, RollupRange] => [slice, { from, to, bucketMs, buckets: [], groups: [] }]),
  )
  const decode = sumsDecoder(measures.sums)
  for (const [slice, rows] of Map.groupBy(await rowsOf(db, query), (row) => row.slice)) {
    const range = ranges.get(slice)!
    for (const { at, sums } of rows) range.buckets.push({ at: at.getTime(), sums: decode(sums) })
    range.groups.push(...groupsOf(rows, groupMs, measures.bins))
  }
  return ranges
}

async function rowsOf(
  db: Db,
  { windowId, bucketMs, slices, from, to, measures: { hasCells, bins } }: SliceQuery,
): Promise<Row[]> {
  const hasBins = bins === null || bins.length > 0
  const { rows } = await sql<Row>`
    select slice, at, sums, ${hasCells ? sql`cells` : sql`null as cells`}, ${hasBins ? sql`bins` : sql`null as bins`}
    from rollup
    where window_id = ${windowId} and bucket_ms = ${bucketMs} and at >= ${new Date(from)} and at < ${new Date(to)}
      and slice in (select value from json_array_elements_text(${toJson(slices)}::json))
    order by slice, at
  `.execute(db)
  return rows
}
