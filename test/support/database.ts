import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOn, dropOn } from './database-server.ts'
import { prepared } from './prepared-databases.ts'

export interface TestDatabase {
  /** For `comparator.database`; the data survives a restart of the comparator. */
  url: string
  drop(): Promise<void>
}

/**
 * A separate database with the newest schema: on the server that `DATABASE_URL` names, otherwise embedded in a
 * temporary directory.
 */
export const createTestDatabase = () => copyOf(prepared.migrated)

/** The same without a schema. */
export const createEmptyDatabase = () => copyOf(prepared.empty)

async function copyOf(variable: string): Promise<TestDatabase> {
  const original = process.env[variable]
  if (!original) throw new Error(`${variable} is not set: the project of this test wants prepared-databases.ts`)
  const server = process.env.DATABASE_URL
  if (server) {
    const { name, url } = await createOn(server, original)
    return { url, drop: () => dropOn(server, name) }
  }
  const directory = mkdtempSync(join(tmpdir(), 'understudy-test-db-'))
  cpSync(original, directory, { recursive: true })
  return { url: `embedded:${directory}`, drop: async () => rmSync(directory, { recursive: true, force: true }) }
}
