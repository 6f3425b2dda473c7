import type { Insertable, Selectable } from 'kysely'
import type { Db } from '../database/open-database.ts'
import type { Tables } from '../database/tables.ts'

type SessionRow = Selectable<Tables['session']>

export async function insertSession(db: Db, row: Insertable<Tables['session']>): Promise<void> {
  await db.insertInto('session').values(row).execute()
}

export async function findSession(db: Db, hash: string): Promise<SessionRow | undefined> {
  return db.selectFrom('session').selectAll().where('hash', '=', hash).executeTakeFirst()
}

/** Returns what it was; `undefined` if there was none. */
export async function deleteSession(db: Db, hash: string): Promise<SessionRow | undefined> {
  return db.deleteFrom('session').where('hash', '=', hash).returningAll().executeTakeFirst()
}

export async function deleteSessionsBefore(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('session').where('expires_at', '<=', now).execute()
}
