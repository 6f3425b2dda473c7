import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // The last report of each process of each mirror.
  await sql`
    create table mirror (
      name text not null,
      worker integer not null,
      reported_at timestamptz not null,
      report jsonb not null,
      primary key (name, worker)
    )`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table mirror`.execute(db)
}
