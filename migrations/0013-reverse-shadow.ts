import { type Kysely, sql } from 'kysely'

/** Moves all of the routing into the database, so that all comparators on it serve the same document per version. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table validation add column reverse_shadow boolean not null default false`.execute(db)
}
