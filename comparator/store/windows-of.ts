import type { Db } from './open-database.ts'
import type { WindowRow } from './tables.ts'

const windowsMax = 500

/** Of a validation, under whatever policy, the newest beginning first. */
export async function listWindows(db: Db, validation: string): Promise<WindowRow[]> {
  return db
    .selectFrom('evidence_window')
    .selectAll()
    .where('validation', '=', validation)
    .orderBy('began_at', 'desc')
    .orderBy('id', 'desc')
    .limit(windowsMax)
    .execute()
}
