import { sql } from 'kysely'
import { toJson } from './json.ts'
import type { Db, Tx } from './open-database.ts'
import type { WindowRow } from './tables.ts'

/** The windows of these validations under their present policy, the most recent evidence first. */
export async function windowsUnderPolicy(
  db: Db | Tx,
  validations: readonly { name: string; digest: string }[],
): Promise<WindowRow[]> {
  if (validations.length === 0) return []
  return db
    .selectFrom('evidence_window')
    .selectAll()
    .where((eb) => eb.or(validations.map(({ name, digest }) => eb.and({ validation: name, policy_digest: digest }))))
    .orderBy('last_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
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

/** Writes back what new evidence moved: versions and digests learnt late, the span, the revision, the values of slices. */
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

/** Counts a change of the evidence that moved no time, such as labels. */
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
