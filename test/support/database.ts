import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { emptyDatabaseVariable } from './empty-database.ts'

export interface TestDatabase {
  /** For `comparator.database`; the data outlives a restart of the comparator. */
  url: string
  drop(): Promise<void>
}

/** A database of the test's own: on the server that `DATABASE_URL` names, else embedded in a temporary directory. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = process.env.DATABASE_URL
  if (!server) {
    const directory = mkdtempSync(join(tmpdir(), 'understudy-test-db-'))
    const empty = process.env[emptyDatabaseVariable]
    if (empty) cpSync(empty, directory, { recursive: true })
    return { url: `embedded:${directory}`, drop: async () => rmSync(directory, { recursive: true, force: true }) }
  }
  const name = `understudy_test_${randomBytes(6).toString('hex')}`
  await onServer(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => onServer(server, `drop database ${name} with (force)`) }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
