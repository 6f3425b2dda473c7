import { type Kysely, sql } from 'kysely'

/** When the comparator started whose policy is in force, and when one with that policy last renewed it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table validation add column policy_since timestamptz, add column policy_renewed_at timestamptz
  `.execute(db)
}
