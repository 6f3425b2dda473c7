import { type Kysely, sql } from 'kysely'

/** Marks inputs that are kept for a reader, which have a limit of their own. The constant default rewrites no rows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table gate_input add column for_reader boolean not null default false`.execute(db)
}
