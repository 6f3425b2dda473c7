import type { Db, Tx } from './open-database.ts'
import type { WindowRow } from './tables.ts'

/** Under whatever policy, the window of a validation and a version of the primary that has the newest evidence. */
export async function newestWindowOf(
  db: Db | Tx,
  validation: string,
  primaryVersion: string,
): Promise<WindowRow | undefined> {
  return db
    .selectFrom('evidence_window')
    .selectAll()
    .where('validation', '=', validation)
    .where('primary_version', '=', primaryVersion)
    .orderBy('last_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}
