import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // When a validation last received an exchange, and when a mirror last reported that it mirrors for it.
  await sql`
    create table arrival (
      validation text primary key references validation (name),
      seen_at timestamptz,
      mirror_at timestamptz,
      mirror_route text
    )`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table arrival`.execute(db)
}
