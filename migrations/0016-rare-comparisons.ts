import { type Kysely, sql } from 'kysely'

/** Lists the newest failures among millions of compared observations without reading them all. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index observation_rare on observation (validation, comparison, at desc, id desc)
    where comparison <> 'compared'
  `.execute(db)
}
