import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Kysely, sql } from 'kysely'
import { readOnly } from '../database/connection-error.ts'
import { inTransaction } from '../database/in-transaction.ts'
import type { Db, Tx } from '../database/open-database.ts'

const folder = join(import.meta.dirname, '../../../migrations')

interface Migration {
  name: string
  up(tx: Kysely<unknown>): Promise<void>
}

/**
 * Applies missing migrations in order, in one transaction, and returns their names. Where several services start at
 * once, one does it and the others wait. The lock ends with the transaction, also behind a connection pooler. Throws if
 * the database has a migration that this version does not know, or cannot be written to.
 */
export async function migrate(db: Db, upTo?: string): Promise<string[]> {
  const migrations = await knownMigrations()
  const applying = inTransaction(db, async (tx) => {
    // adding a key to a large table takes longer than the statement timeout
    await sql`set local statement_timeout = 0`.execute(tx)
    await sql`select pg_advisory_xact_lock(hashtextextended('understudy:migrate', 0))`.execute(tx)
    await sql`
      create table if not exists kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)
    `.execute(tx)
    const applied = await appliedMigrations(tx)
    refuseUnknown(migrations, applied)
    const missing = migrations.filter(({ name }) => !applied.has(name) && (upTo === undefined || name <= upTo))
    for (const { name, up } of missing) {
      await up(tx as unknown as Kysely<unknown>)
      await sql`insert into kysely_migration (name, timestamp) values (${name}, ${new Date().toISOString()})`.execute(
        tx,
      )
    }
    return missing.map(({ name }) => name)
  })
  return applying.catch((cause) => {
    if (cause.code !== readOnly) throw cause
    const message = 'comparator.database: expected a server that can be written to, as migrations are applied there'
    throw Object.assign(new Error(`${message}: ${cause.message}`, { cause }), { code: readOnly })
  })
}

/** Says whose tables ours would stand beside, such as where a shell has `DATABASE_URL` set for another program. */
export async function warningOfOthers(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables
    where schemaname = current_schema() and to_regclass('kysely_migration') is null
    order by tablename limit 3
  `.execute(db)
  if (rows.length === 0) return undefined
  const names = rows.map(({ name }) => name).join(', ')
  return `comparator.database: expected a database of understudy's own; its tables are put beside those of another program: ${names}`
}

export async function migrationStatus(db: Db): Promise<{ name: string; appliedAt: string | null }[]> {
  const migrations = await knownMigrations()
  const { rows } = await sql<{ there: boolean }>`select to_regclass('kysely_migration') is not null as there`.execute(
    db,
  )
  const applied = rows[0]!.there ? await appliedMigrations(db) : new Map<string, string>()
  refuseUnknown(migrations, applied)
  return migrations.map(({ name }) => ({ name, appliedAt: applied.get(name) ?? null }))
}

async function knownMigrations(): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => /^\d{4}-.*\.ts$/.test(file)).sort()
  return Promise.all(
    files.map(async (file) => ({ name: file.slice(0, -3), ...(await import(pathToFileURL(join(folder, file)).href)) })),
  )
}

/** Name → time. The table is that of Kysely's own migrator, which made it in old databases. */
async function appliedMigrations(db: Db | Tx): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; timestamp: string }>`
    select name, timestamp from kysely_migration
  `.execute(db)
  return new Map(rows.map(({ name, timestamp }) => [name, timestamp]))
}

function refuseUnknown(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): void {
  const unknown = [...applied.keys()].filter((name) => !migrations.some((migration) => migration.name === name)).sort()
  if (unknown.length === 0) return
  if (unknown.length === applied.size) {
    throw new Error(
      `comparator.database: expected a database of understudy's own; this one has the migrations of another program: ` +
        unknown.slice(0, 3).join(', '),
    )
  }
  const newest = migrations.at(-1)?.name ?? 'none'
  throw new Error(
    `the database is of a newer version of understudy: it has ${unknown.join(', ')}, and this version knows ` +
      `migrations up to ${newest}. Run the version that made it, or a newer one, or give this one another database`,
  )
}
