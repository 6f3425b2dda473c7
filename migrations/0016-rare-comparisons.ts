import { type Kysely, sql } from 'kysely'

/** Who asks for the newest that failed, of millions that did not, is not to wait for all of them to be read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index observation_rare on observation (validation, comparison, at desc, id desc)
    where comparison <> 'compared'
  `.execute(db)
}
