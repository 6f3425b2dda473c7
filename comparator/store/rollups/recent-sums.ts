import { sql } from 'kysely'
import type { EpochMs, Milliseconds } from '../../../vocabulary/units.ts'
import { toJson } from '../database/json.ts'
import type { Db } from '../database/open-database.ts'
import { sumsDecoder } from './rollup-bytes.ts'

/** The sum of these measures since `since`, by window id, read from rollups of width `bucketMs`. */
export async function recentSums(
  db: Db,
  measures: readonly string[],
  windows: readonly { id: number; bucketMs: Milliseconds; since: EpochMs }[],
): Promise<Map<number, number>> {
  if (windows.length === 0) return new Map()
  const { rows } = await sql<{ id: number; sums: Uint8Array }>`
    select of.id, r.sums
    from json_to_recordset(${toJson(windows.map(({ since, ...of }) => ({ ...of, since: new Date(since) })))}::json)
      as of (id bigint, "bucketMs" integer, since timestamptz)
    join rollup r on r.window_id = of.id and r.bucket_ms = of."bucketMs" and r.slice = '' and r.at >= of.since
  `.execute(db)
  const decode = sumsDecoder(measures)
  const totals = new Map<number, number>()
  for (const { id, sums } of rows) {
    const found = [...decode(sums).values()].reduce((total, { sum }) => total + sum, 0)
    totals.set(id, (totals.get(id) ?? 0) + found)
  }
  return totals
}
