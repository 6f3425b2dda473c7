import { type Kysely, sql } from 'kysely'

/** The issuer's ID token of a session that was opened there, encrypted with a key that only the session's cookie gives. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table session add column id_token bytea`.execute(db)
}
