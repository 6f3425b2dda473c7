import { sql } from 'kysely'
import { toJson } from '../database/json.ts'
import type { Db, Tx } from '../database/open-database.ts'
import { recordset } from '../database/recordset.ts'
import type { ObservationRow } from '../database/tables.ts'
import { dayOfId, undated } from './day-of-id.ts'
import type { LabelKey } from './labels.ts'

/** Which of these ids were accepted before. Rows from before partitioning by day are in the partition `undated`. */
export async function knownIds(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  const days = new Set([undated, ...ids.map(dayOfId)])
  const { rows } = await sql<{ id: string }>`
    select id from observation where id = any(${arrayOf(ids)}::uuid[]) and day = any(${arrayOf(days)}::date[])
  `.execute(tx)
  return new Set(rows.map((row) => row.id))
}

/** A PostgreSQL array literal of items that need no quotes. */
const arrayOf = (items: Iterable<string>) => `{${[...items].join(',')}}`

const columnTypes = {
  id: 'uuid',
  window_id: 'bigint',
  validation: 'text',
  at: 'timestamptz',
  correlation_id: 'text',
  live: 'text',
  comparison: 'text',
  reason: 'text',
  disagreement: 'double precision',
  severity: 'double precision',
  request_bytes: 'bigint',
  day: 'date',
} satisfies Partial<Record<keyof ObservationRow, string>>

const documents = [
  'primary_outcome',
  'candidate_outcome',
  'primary_answer',
  'candidate_answer',
  'truth',
  'slices',
  'outputs',
] satisfies (keyof ObservationRow)[]

/**
 * Inserts any number of rows in one statement and returns the ids that were new. Rows are inserted in the order of ids,
 * so that two writers with the same ids wait for each other instead of deadlocking.
 */
export async function insertObservations(tx: Tx, rows: readonly ObservationRow[]): Promise<Set<string>> {
  const { columns, select } = recordset(rows, columnTypes, documents)
  const inserted = await sql<{ id: string }>`
    insert into observation (${columns}) ${select} order by id on conflict do nothing returning id
  `.execute(tx)
  return new Set(inserted.rows.map((row) => row.id))
}

/**
 * A correlation id with more observations names no request but, say, a user, whose requests a rollout keeps together. A
 * label of it would hold its validation's lock for as long as it takes to read and write them all.
 */
export const labelledMax = 100

/**
 * Observations with these correlation ids, of each at most one more than `labelledMax`. The limit also has each key
 * looked up by its index: the planner takes any number of keys for a hundred, and would read all observations, up to
 * some 300,000 of them, to join a single one.
 */
export async function observationsLabelledBy(tx: Tx, keys: readonly LabelKey[]): Promise<ObservationRow[]> {
  const { rows } = await sql<ObservationRow>`
    select o.* from jsonb_to_recordset(${toJson(keys)}::jsonb) as key (validation text, "correlationId" text)
    cross join lateral (
      select * from observation
      where validation = key.validation and correlation_id = key."correlationId" limit ${labelledMax + 1}) o
  `.execute(tx)
  return rows
}

/** The arrays tell the planner how few the rows are: of the documents alone it would read all observations to join them. */
export async function setTruths(tx: Tx, truths: readonly { id: string; day: string; truth: unknown }[]): Promise<void> {
  const ids = truths.map(({ id }) => id)
  const days = new Set(truths.map(({ day }) => day))
  await sql`
    update observation o set truth = row.truth
    from json_to_recordset(${toJson(truths)}::json) as row (id uuid, day date, truth jsonb)
    where o.id = row.id and o.day = row.day
      and o.id = any(${arrayOf(ids)}::uuid[]) and o.day = any(${arrayOf(days)}::date[])
  `.execute(tx)
}

export async function findObservation(db: Db, id: string) {
  return db
    .selectFrom('observation as o')
    .leftJoin('observation_body as b', 'b.observation_id', 'o.id')
    .selectAll('o')
    .select(['b.request', 'b.primary_body', 'b.candidate_body'])
    .where('o.id', '=', id)
    .where('o.day', 'in', [dayOfId(id), undated])
    .executeTakeFirst()
}
