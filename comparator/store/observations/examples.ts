import { sql } from 'kysely'
import { toJson } from '../database/json.ts'
import type { Db, Tx } from '../database/open-database.ts'
import type { ExampleRow } from '../database/tables.ts'
import { failedSeverity } from './severity.ts'

/**
 * Number of examples kept for all traffic and for each slice: of the worst per window, failures and compared ones
 * apart; of the typical ones per day.
 */
export const examplesMax = {
  failed: { all: 50, slice: 5 },
  compared: { all: 150, slice: 15 },
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

/**
 * Whether an observation's bodies are kept as an example's. Typical examples of all traffic do not count here: bodies
 * of only the first of them are kept, and these cannot be told apart.
 */
export async function isShownExample(db: Db, observationId: string): Promise<boolean> {
  const found = await db
    .selectFrom('example')
    .select('slice')
    .where('observation_id', '=', observationId)
    .where((where) => where.or([where('kind', '=', 'worst'), where('slice', '<>', '')]))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

export interface Member {
  id: string
  day: string
}

/**
 * All observations of a slice if it is so rare that each day's sample holds every one; `null` if there may be more. A
 * list of a rare slice then need not scan everything else. `windowId` limits it to one window.
 */
export async function membersOfRareSlice(
  db: Db,
  { validation, windowId, slice }: { validation: string; windowId?: number | null | undefined; slice: string },
): Promise<Member[] | null> {
  const { rows } = await sql<Member & { of_day: number }>`
    select e.observation_id as id, e.observation_day as day,
      (count(*) over (partition by e.window_id, e.day))::integer as of_day
    from example e join evidence_window w on w.id = e.window_id
    where w.validation = ${validation} and e.slice = ${slice} and e.kind = 'typical'
      and ${windowId === undefined ? sql`true` : sql`e.window_id = ${windowId}`}
  `.execute(db)
  return rows.some(({ of_day }) => of_day >= examplesMax.typical.slice) ? null : rows
}

/** The current examples of a window. */
export async function exampleKeys(
  db: Db | Tx,
  windowId: number,
): Promise<Pick<ExampleRow, 'slice' | 'kind' | 'day' | 'key' | 'observation_id'>[]> {
  return db
    .selectFrom('example')
    .select(['slice', 'kind', 'day', 'key', 'observation_id'])
    .where('window_id', '=', windowId)
    .execute()
}

const isFailed = sql`kind = 'worst' and key >= ${failedSeverity}::double precision`
const most = (of: keyof typeof examplesMax) =>
  sql`case when slice = '' then ${sql.lit(examplesMax[of].all)} else ${sql.lit(examplesMax[of].slice)} end`

/** Deletes examples beyond `examplesMax`. Each writer stores what seemed to be one at the time. */
export async function pruneExamples(db: Db, windowId: number): Promise<void> {
  await sql`
    delete from example e using (
      select slice, kind, day, key, observation_id, row_number() over (
        partition by slice, kind, ${isFailed}, case when kind = 'typical' then day end
        order by case when kind = 'worst' then -key else key end, observation_id) as place,
        case when ${isFailed} then ${most('failed')} when kind = 'worst' then ${most('compared')}
          else ${most('typical')} end as most
      from example where window_id = ${windowId}) as placed
    where e.window_id = ${windowId} and e.slice = placed.slice and e.kind = placed.kind and e.day = placed.day
      and e.key = placed.key and e.observation_id = placed.observation_id
      and placed.place > placed.most
  `.execute(db)
}

export async function deleteExamplesBefore(db: Db, day: string): Promise<void> {
  await sql`delete from example where day < ${day}::date`.execute(db)
}
