import { type Kysely, sql } from 'kysely'

/** Inputs that are kept because somebody read the verdict have a limit of their own. A constant default rewrites nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table gate_input add column for_reader boolean not null default false`.execute(db)
}
