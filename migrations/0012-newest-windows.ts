import { type Kysely, sql } from 'kysely'

/** Indices for each bundle's two queries: the windows with the newest evidence, and the number begun within an hour. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index evidence_window_newest on evidence_window (validation, policy_digest, last_at desc, id desc)
  `.execute(db)
  await sql`create index evidence_window_began on evidence_window (validation, began_at desc, id desc)`.execute(db)
}
