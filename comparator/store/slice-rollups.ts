import { sql } from 'kysely'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import { isCell } from '../metrics/measures.ts'
import type { MeasuresRead } from '../metrics/measures-of.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'
import { binGroupsOf } from './folded-histograms.ts'
import { toJson } from './json.ts'
import type { Db } from './open-database.ts'
import { sumsDecoder } from './rollup-bytes.ts'

export interface SliceQuery {
  windowId: number
  bucketMs: Milliseconds
  slices: readonly string[]
  from: EpochMs
  to: EpochMs
  groupMs: Milliseconds
  /** These measures' sums and histograms alone. */
  measures: MeasuresRead
}

interface Row {
  slice: string
  at: Date
  sums: Uint8Array
  /** `null`: not asked for. */
  cells: Uint8Array | null
  bins: Uint8Array | null
}

/** The rollups of many slices, of the measures that one metric takes; every slice asked for is there. */
export async function readSliceRollups(db: Db, query: SliceQuery): Promise<Map<string, RollupRange>> {
  const { from, to, bucketMs, groupMs, measures } = query
  const ranges = new Map(
    query.slices.map((slice): [string, RollupRange] => [slice, { from, to, bucketMs, buckets: [], binGroups: [] }]),
  )
  const [decodeSums, decodeCells] = [sumsDecoder(measures.sums), sumsDecoder(measures.sums)]
  for (const [slice, rows] of Map.groupBy(await rowsOf(db, query), (row) => row.slice)) {
    const range = ranges.get(slice)!
    for (const { at, sums, cells } of rows) {
      const all = decodeSums(sums)
      for (const [measure, sum] of cells === null ? [] : decodeCells(cells)) all.set(measure, sum)
      range.buckets.push({ at: at.getTime(), sums: all })
    }
    const withBins = rows.flatMap(({ at, bins }) => (bins === null ? [] : [{ at, bins }]))
    range.binGroups.push(...binGroupsOf(withBins, groupMs, measures.bins))
  }
  return ranges
}

async function rowsOf(
  db: Db,
  { windowId, bucketMs, slices, from, to, measures: { sums, bins } }: SliceQuery,
): Promise<Row[]> {
  const hasCells = sums === null || sums.some(isCell)
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
