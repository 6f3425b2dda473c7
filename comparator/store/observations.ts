import { sql } from 'kysely'
import { hourDimension } from '../../vocabulary/slice-key.ts'
import type { EpochMs } from '../../vocabulary/units.ts'
import { dayOfId, undated } from './day-of-id.ts'
import type { Member } from './examples.ts'
import { toJson } from './json.ts'
import type { LabelKey } from './labels.ts'
import type { Db, Tx } from './open-database.ts'
import { recordset } from './recordset.ts'
import type { ObservationRow } from './tables.ts'

/** Which of these ids were accepted before. Rows from before there were days stand in the partition without one. */
export async function knownIds(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  const days = new Set([undated, ...ids.map(dayOfId)])
  const { rows } = await sql<{ id: string }>`
    select id from observation where id = any(${arrayOf(ids)}::uuid[]) and day = any(${arrayOf(days)}::date[])
  `.execute(tx)
  return new Set(rows.map((row) => row.id))
}

/** An array as PostgreSQL spells it, of what needs no quotes. */
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
 * One statement for any number of rows; returns the ids that it inserted, and only those are new. In the ids' order: two
 * writers with the same ones wait for each other, and do not lock each other out.
 */
export async function insertObservations(tx: Tx, rows: readonly ObservationRow[]): Promise<Set<string>> {
  const { columns, select } = recordset(rows, columnTypes, documents)
  const inserted = await sql<{ id: string }>`
    insert into observation (${columns}) ${select} order by id on conflict do nothing returning id
  `.execute(tx)
  return new Set(inserted.rows.map((row) => row.id))
}

/** Observations of these correlation ids that no label has reached yet. */
export async function unlabelledObservations(tx: Tx, keys: readonly LabelKey[]): Promise<ObservationRow[]> {
  const { rows } = await sql<ObservationRow>`
    select o.* from observation o
    join jsonb_to_recordset(${toJson(keys)}::jsonb) as key (validation text, "correlationId" text)
      on key.validation = o.validation and key."correlationId" = o.correlation_id
    where o.truth is null
  `.execute(tx)
  return rows
}

export async function setTruths(tx: Tx, truths: readonly { id: string; day: string; truth: unknown }[]): Promise<void> {
  await sql`
    update observation set truth = row.truth
    from json_to_recordset(${toJson(truths)}::json) as row (id uuid, day date, truth jsonb)
    where observation.id = row.id and observation.day = row.day
  `.execute(tx)
}

export interface Cursor {
  key: number | string
  id: string
}

interface ObservationQuery {
  validation: string
  windowId: number | null
  order: 'worst' | 'newest'
  limit: number
  slice?: { dimension: string; value: string } | null | undefined
  /** Where these are known to hold all that is wanted, nothing else is looked at. */
  among?: readonly Member[] | null | undefined
  comparison?: ObservationRow['comparison'] | undefined
  from?: EpochMs | undefined
  to?: EpochMs | undefined
  after?: Cursor | undefined
}

/** A page by keyset: the newest first, or the worst; of equally bad ones, as failures are, those whose bodies are kept. */
export async function listObservations(
  db: Db,
  query: ObservationQuery,
): Promise<(ObservationRow & { bodies_kept: boolean })[]> {
  const { validation, windowId, order, limit, after, among } = query
  const scope = order === 'worst' ? sql`o.window_id = ${windowId}` : sql`o.validation = ${validation}`
  const sorted = order === 'worst' ? sql`-o.severity, o.id` : sql`o.at desc, o.id desc`
  const before = !after
    ? sql`true`
    : order === 'worst'
      ? sql`(-o.severity, o.id) > (${-Number(after.key)}::double precision, ${after.id}::uuid)`
      : sql`(o.at, o.id) < (${String(after.key)}::timestamptz, ${after.id}::uuid)`
  const wanted = order === 'worst' ? sql`-o.severity < 0` : sql`true`
  const { rows } = await sql<ObservationRow & { bodies_kept: boolean }>`
    select o.*, (b.observation_id is not null) as bodies_kept
    from ${among ? membersOf(among) : sql`observation`} o left join observation_body b on b.observation_id = o.id
    where ${scope} and ${wanted} and ${before} and ${isChosen(query)}
    order by ${sorted} limit ${limit}
  `.execute(db)
  return rows
}

/** By their ids, whatever the order of the list: `offset 0` keeps the planner from walking through the order instead. */
function membersOf(members: readonly Member[]) {
  return sql`(
    select o.* from json_to_recordset(${toJson(members)}::json) as member (id uuid, day date)
    join observation o on o.id = member.id and o.day = member.day offset 0)`
}

function isChosen({ slice, comparison, from, to }: ObservationQuery) {
  const all = sql`true`
  const inSlice = !slice
    ? all
    : slice.dimension === hourDimension
      ? isInHour(slice.value)
      : sql`o.slices ->> ${slice.dimension}::text = ${slice.value}`
  return sql`${inSlice}
    and ${comparison === undefined ? all : sql`o.comparison = ${comparison}`}
    and ${from === undefined ? all : sql`o.at >= ${new Date(from)}`}
    and ${to === undefined ? all : sql`o.at < ${new Date(to)}`}`
}

/** Of the row `o`: whether it is of this hour of the day, in UTC. */
export function isInHour(hour: string) {
  return sql`to_char(o.at at time zone 'UTC', 'HH24') = ${hour}`
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
