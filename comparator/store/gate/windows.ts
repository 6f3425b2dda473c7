import { sql } from 'kysely'
import type { TimeSpan } from '../../../vocabulary/units.ts'
import { toJson } from '../database/json.ts'
import type { Db, Tx } from '../database/open-database.ts'
import type { WindowRow } from '../database/tables.ts'

/** Limit per validation and policy: half a year of windows for a team that releases a version a day. */
const windowsReadMax = 200

/** The first `max` windows of each of these validations under its current policy, most recent evidence first. */
export async function windowsUnderPolicy(
  db: Db | Tx,
  validations: readonly { name: string; digest: string }[],
  max = windowsReadMax,
): Promise<WindowRow[]> {
  const keys = validations.map(({ name, digest }) => ({ name, digest }))
  const { rows } = await sql<WindowRow>`
    select w.* from json_to_recordset(${toJson(keys)}::json) as key (name text, digest text)
    cross join lateral (
      select * from evidence_window where validation = key.name and policy_digest = key.digest
      order by last_at desc, id desc limit ${max}) w
    order by w.last_at desc, w.id desc
  `.execute(db)
  return rows
}

/** The window of exactly these models under this policy, however old its evidence. */
export async function windowOfModels(
  tx: Tx,
  of: Pick<
    WindowRow,
    'validation' | 'policy_digest' | 'primary_version' | 'primary_digest' | 'candidate_version' | 'candidate_digest'
  >,
): Promise<WindowRow | undefined> {
  return tx
    .selectFrom('evidence_window')
    .selectAll()
    .where((eb) => eb.and(of))
    .executeTakeFirst()
}

/** Number of a validation's windows under this policy that began in [from, to). */
export async function countWindowsBegun(
  db: Db | Tx,
  { name, digest }: { name: string; digest: string },
  { from, to }: TimeSpan,
): Promise<number> {
  const { count } = await db
    .selectFrom('evidence_window')
    .select(sql<number>`count(*)::bigint`.as('count'))
    .where('validation', '=', name)
    .where('policy_digest', '=', digest)
    .where('began_at', '>=', new Date(from))
    .where('began_at', '<', new Date(to))
    .executeTakeFirstOrThrow()
  return count
}

export async function insertWindow(tx: Tx, row: Omit<WindowRow, 'id'>): Promise<number> {
  const { id } = await tx
    .insertInto('evidence_window')
    .values({
      ...row,
      policy: sql`${toJson(row.policy)}::jsonb`,
      slice_values: sql`${toJson(row.slice_values)}::jsonb`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Saves what new evidence changes: versions and digests learnt late, the span, the revision, the values of slices. */
export async function updateWindow(tx: Tx, row: WindowRow): Promise<void> {
  await tx
    .updateTable('evidence_window')
    .set({
      primary_version: row.primary_version,
      primary_digest: row.primary_digest,
      candidate_version: row.candidate_version,
      candidate_digest: row.candidate_digest,
      began_at: row.began_at,
      last_at: row.last_at,
      revision: row.revision,
      slice_values: sql`${toJson(row.slice_values)}::jsonb`,
    })
    .where('id', '=', row.id)
    .execute()
}

/** Counts a change of the evidence that does not change the window's span, such as labels. */
export async function bumpRevisions(tx: Tx, windowIds: Iterable<number>): Promise<void> {
  const ids = [...windowIds]
  if (ids.length === 0) return
  await tx.updateTable('evidence_window').set({ revision: sql`revision + 1` }).where('id', 'in', ids).execute()
}

export async function windowsById(db: Db | Tx, ids: readonly number[]): Promise<Map<number, WindowRow>> {
  const rows = await db
    .selectFrom('evidence_window')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

export async function findWindow(db: Db | Tx, id: number): Promise<WindowRow | undefined> {
  return db.selectFrom('evidence_window').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The validation's window with this primary that has the newest evidence, under any policy. */
export async function newestWindowOf(
  db: Db | Tx,
  validation: string,
  primary: Pick<WindowRow, 'primary_version' | 'primary_digest'>,
): Promise<WindowRow | undefined> {
  return db
    .selectFrom('evidence_window')
    .selectAll()
    .where('validation', '=', validation)
    .where('primary_version', '=', primary.primary_version)
    .$if(primary.primary_digest !== '', (query) =>
      // an unknown digest may be the same
      query.where('primary_digest', 'in', [primary.primary_digest, '']),
    )
    .orderBy('last_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The time of a validation's newest observation, under any policy. */
export async function lastObservationOf(db: Db | Tx, validation: string): Promise<Date | undefined> {
  const newest = db.selectFrom('evidence_window').select('last_at').where('validation', '=', validation)
  return (await newest.orderBy('last_at', 'desc').limit(1).executeTakeFirst())?.last_at
}

const windowsListedMax = 500

/** A validation's windows under any policy, last begun first. */
export async function listWindows(db: Db, validation: string): Promise<WindowRow[]> {
  return db
    .selectFrom('evidence_window')
    .selectAll()
    .where('validation', '=', validation)
    .orderBy('began_at', 'desc')
    .orderBy('id', 'desc')
    .limit(windowsListedMax)
    .execute()
}
