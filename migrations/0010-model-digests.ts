import { type Kysely, sql } from 'kysely'

/** Adds the digests of both model files to a window's identity. Existing windows learn their primary's later. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table evidence_window add column primary_digest text not null default ''`.execute(db)
  const { rows } = await sql<{ name: string }>`
    select conname as name from pg_constraint where conrelid = 'evidence_window'::regclass and contype = 'u'
  `.execute(db)
  for (const { name } of rows) await sql`alter table evidence_window drop constraint ${sql.ref(name)}`.execute(db)
  await sql`
    alter table evidence_window add constraint evidence_window_subject unique
      (validation, policy_digest, primary_version, primary_digest, candidate_version, candidate_digest)`.execute(db)
}
