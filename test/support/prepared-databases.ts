import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase } from '../../comparator/store/database/open-database.ts'
import { migrate } from '../../comparator/store/migrate/migrate.ts'
import { createOn, dropOn } from './database-server.ts'

/** Where test processes find prepared databases: directories of embedded ones, or templates on the server. */
export const prepared = {
  empty: 'UNDERSTUDY_TEST_EMPTY_DATABASE',
  migrated: 'UNDERSTUDY_TEST_MIGRATED_DATABASE',
}

/**
 * Runs once per test run: creating an embedded database takes seconds and migrating one a second, but copying either
 * takes a fraction of a second. Vitest calls it for each project; the first call prepares for all.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[prepared.migrated]) return undefined
  const server = process.env.DATABASE_URL
  return server ? prepareOnServer(server) : prepareEmbedded()
}

async function prepareEmbedded(): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'understudy-test-prepared-'))
  const remove = async () => rmSync(directory, { recursive: true, force: true })
  const [empty, migrated] = [join(directory, 'empty'), join(directory, 'migrated')]
  await orElse(remove, async () => {
    await createEmbedded(`embedded:${empty}`)
    cpSync(empty, migrated, { recursive: true })
    await migrateAt(`embedded:${migrated}`)
  })
  process.env[prepared.empty] = empty
  process.env[prepared.migrated] = migrated
  return remove
}

/** Without the templates, which are more than half of its files: each test would copy them for nothing. */
async function createEmbedded(url: string): Promise<void> {
  const { db, close } = await openDatabase(url)
  try {
    await sql`update pg_database set datistemplate = false`.execute(db)
    await sql`drop database template0`.execute(db)
    await sql`drop database template1`.execute(db)
  } finally {
    await close()
  }
}

/** Exists on every PostgreSQL, and is the default template. */
const emptyTemplate = 'template1'

async function prepareOnServer(server: string): Promise<() => Promise<void>> {
  const { name, url } = await createOn(server, emptyTemplate)
  const drop = () => dropOn(server, name)
  await orElse(drop, () => migrateAt(url))
  process.env[prepared.empty] = emptyTemplate
  process.env[prepared.migrated] = name
  return drop
}

/** Cleans up if preparation fails: Vitest does not tear down after a failed setup. */
async function orElse(remove: () => Promise<void>, prepare: () => Promise<void>): Promise<void> {
  try {
    await prepare()
  } catch (error) {
    await remove()
    throw error
  }
}

async function migrateAt(url: string): Promise<void> {
  const { db, close } = await openDatabase(url)
  try {
    await migrate(db)
  } finally {
    await close()
  }
}
