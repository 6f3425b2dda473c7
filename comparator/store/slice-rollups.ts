import { sql } from 'kysely'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import type { Bins } from '../metrics/accumulate.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'
import { addHistogram } from './histogram-bytes.ts'
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
  /** These measures alone; `null` for all. */
  measures: readonly string[] | null
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
  for (const { slice, at, measure, counts } of await histogramRows(db, query)) {
    const { binGroups } = ranges.get(slice)!
    const start = Math.floor(at.getTime() / groupMs) * groupMs
    if (binGroups.at(-1)?.at !== start) binGroups.push({ at: start, bins: new Map() as Bins })
    const { bins } = binGroups.at(-1)!
    if (!bins.has(measure)) bins.set(measure, new Map())
    addHistogram(bins.get(measure)!, counts)
  }
  return ranges
}

const among = (items: readonly string[]) => sql`(select value from json_array_elements_text(${toJson(items)}::json))`

const isWanted = ({ windowId, bucketMs, slices, from, to, measures }: SliceQuery) => sql`
  window_id = ${windowId} and bucket_ms = ${bucketMs} and at >= ${new Date(from)} and at < ${new Date(to)}
  and slice in ${among(slices)} and ${measures === null ? sql`true` : sql`measure in ${among(measures)}`}`

async function sumRows(db: Db, query: SliceQuery) {
  const { rows } = await sql<{ slice: string; at: Date; measures: string[]; packed: Uint8Array }>`
    select slice, at, json_agg(measure) as measures, ${packedSums} as packed
    from rollup_sum where ${isWanted(query)} group by slice, at order by slice, at
  `.execute(db)
  return rows
}

async function histogramRows(db: Db, query: SliceQuery) {
  const { rows } = await sql<{ slice: string; at: Date; measure: string; counts: Uint8Array }>`
    select slice, at, measure, counts from rollup_histogram where ${isWanted(query)} order by slice, at
  `.execute(db)
  return rows
}
