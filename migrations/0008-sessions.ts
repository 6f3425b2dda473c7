import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Only the cookie's hash is stored. `credential` is the digest of what opened the session and must still be
  // configured.
  await sql`
    create table session (
      hash text primary key,
      credential text not null,
      name text not null,
      role text not null,
      created_at timestamptz not null,
      expires_at timestamptz not null
    )`.execute(db)
  await sql`create index session_expiry on session (expires_at)`.execute(db)

  // The audit can be filtered by validation and by person.
  await sql`create index audit_of_validation on audit (validation, id desc)`.execute(db)
  await sql`create index audit_of_actor on audit (actor, id desc)`.execute(db)
}
