import { type Kysely, sql } from 'kysely'

/** Indexes the worst first, ties by id, as bodies are kept. Takes some seconds for ten million rows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index observation_worst`.execute(db)
  await sql`create index observation_worst on observation (window_id, (-severity), id)`.execute(db)
}
