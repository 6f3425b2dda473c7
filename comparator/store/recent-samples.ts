import { sql } from 'kysely'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import { toJson } from './json.ts'
import type { Db } from './open-database.ts'

/** Exchanges compared since `since`, by window. `bucketMs`: of the rollups to read it from. */
export async function recentSamples(
  db: Db,
  windows: readonly { id: number; bucketMs: Milliseconds; since: EpochMs }[],
): Promise<Map<number, number>> {
  if (windows.length === 0) return new Map()
  const { rows } = await sql<{ id: number; samples: number }>`
    select of.id, coalesce(sum(r.sum), 0)::double precision as samples
    from json_to_recordset(${toJson(windows.map(({ since, ...of }) => ({ ...of, since: new Date(since) })))}::json)
      as of (id bigint, "bucketMs" integer, since timestamptz)
    join rollup_sum r on r.window_id = of.id and r.bucket_ms = of."bucketMs" and r.slice = '' and r.at >= of.since
    where r.measure like 'exchange:%'
    group by of.id
  `.execute(db)
  return new Map(rows.map(({ id, samples }) => [Number(id), samples]))
}
