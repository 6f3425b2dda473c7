import { type Kysely, sql } from 'kysely'

/** What the routing says stands in the database alone, so that all comparators on it say the same under one version. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table validation add column reverse_shadow boolean not null default false`.execute(db)
}
