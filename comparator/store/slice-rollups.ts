import { sql } from 'kysely'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import type { MeasuresRead } from '../metrics/measures-of.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'
import { binGroupsOf } from './histograms.ts'
import { toJson } from './json.ts'
import type { Db } from './open-database.ts'
import { packedSums, unpackSums } from './packed-sums.ts'

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

/** The rollups of many slices, of the measures that one metric takes; every slice asked for is there. */
export async function readSliceRollups(db: Db, query: SliceQuery): Promise<Map<string, RollupRange>> {
  const { from, to, bucketMs, groupMs } = query
  const ranges = new Map(
    query.slices.map((slice): [string, RollupRange] => [slice, { from, to, bucketMs, buckets: [], binGroups: [] }]),
  )
  for (const { slice, at, measures, packed } of await sumRows(db, query)) {
    ranges.get(slice)!.buckets.push({ at: at.getTime(), sums: unpackSums(measures, packed) })
  }
  for (const [slice, rows] of Map.groupBy(await histogramRows(db, query), (row) => row.slice)) {
    ranges.get(slice)!.binGroups.push(...binGroupsOf(rows, groupMs))
  }
  return ranges
}

const among = (items: readonly string[]) => sql`(select value from json_array_elements_text(${toJson(items)}::json))`

const isWanted = ({ windowId, bucketMs, slices, from, to, measures }: SliceQuery, of: keyof MeasuresRead) => sql`
  window_id = ${windowId} and bucket_ms = ${bucketMs} and at >= ${new Date(from)} and at < ${new Date(to)}
  and slice in ${among(slices)} and ${measures[of] === null ? sql`true` : sql`measure in ${among(measures[of])}`}`

async function sumRows(db: Db, query: SliceQuery) {
  const { rows } = await sql<{ slice: string; at: Date; measures: string[]; packed: Uint8Array }>`
    select slice, at, json_agg(measure) as measures, ${packedSums} as packed
    from rollup_sum where ${isWanted(query, 'sums')} group by slice, at order by slice, at
  `.execute(db)
  return rows
}

async function histogramRows(db: Db, query: SliceQuery) {
  if (query.measures.bins?.length === 0) return []
  const { rows } = await sql<{ slice: string; at: Date; measure: string; counts: Uint8Array }>`
    select slice, at, measure, counts from rollup_histogram where ${isWanted(query, 'bins')} order by slice, at
  `.execute(db)
  return rows
}
