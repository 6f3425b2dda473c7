import { type Kysely, sql } from 'kysely'

/** Since when a promoted candidate has harmed clients; null where it does not. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table promotion add column harms_since timestamptz`.execute(db)
}
