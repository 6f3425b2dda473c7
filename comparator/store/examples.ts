import { sql } from 'kysely'
import { toJson } from './json.ts'
import type { Db, Tx } from './open-database.ts'
import type { ExampleRow } from './tables.ts'

/** How many stand for all traffic, and for a slice: of the worst in a window, of the typical on each of its days. */
export const examplesMax = {
  worst: { all: 200, slice: 20 },
  typical: { all: 500, slice: 20 },
}

export async function insertExamples(tx: Tx, rows: readonly ExampleRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into example (window_id, slice, kind, day, key, observation_id, observation_day)
    select * from json_to_recordset(${toJson(rows)}::json) as row (
      window_id bigint, slice text, kind text, day date, key double precision, observation_id uuid,
      observation_day date)
    order by 1, 2, 3, 4, 5, 6
    on conflict do nothing
  `.execute(tx)
}

/** The keys that stand for a window now. */
export async function exampleKeys(
  db: Db | Tx,
  windowId: number,
): Promise<Pick<ExampleRow, 'slice' | 'kind' | 'day' | 'key'>[]> {
  return db.selectFrom('example').select(['slice', 'kind', 'day', 'key']).where('window_id', '=', windowId).execute()
}

const most = (kind: 'worst' | 'typical') =>
  sql`case when e.slice = '' then ${sql.lit(examplesMax[kind].all)} else ${sql.lit(examplesMax[kind].slice)} end`

/** Writers keep what they took for one at the time; this lets go of all but the foremost. */
export async function pruneExamples(db: Db, windowId: number): Promise<void> {
  await sql`
    delete from example e using (
      select slice, kind, day, key, observation_id, row_number() over (
        partition by slice, kind, case when kind = 'typical' then day end
        order by case when kind = 'worst' then -key else key end, observation_id) as place
      from example where window_id = ${windowId}) as placed
    where e.window_id = ${windowId} and e.slice = placed.slice and e.kind = placed.kind and e.day = placed.day
      and e.key = placed.key and e.observation_id = placed.observation_id
      and placed.place > case when e.kind = 'worst' then ${most('worst')} else ${most('typical')} end
  `.execute(db)
}

export async function deleteExamplesBefore(db: Db, day: string): Promise<void> {
  await sql`delete from example where day < ${day}::date`.execute(db)
}
