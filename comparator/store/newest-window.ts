import type { Db, Tx } from './open-database.ts'
import type { WindowRow } from './tables.ts'

/** Under whatever policy, the window of a validation and the same model as primary that has the newest evidence. */
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
      // one that is not known is not another
      query.where('primary_digest', 'in', [primary.primary_digest, '']),
    )
    .orderBy('last_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}
