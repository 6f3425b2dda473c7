import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../comparator/store/open-database.ts'

/** Where the tests' processes find the directory of an embedded database that nothing has been put into. */
export const emptyDatabaseVariable = 'UNDERSTUDY_TEST_EMPTY_DATABASE'

/** Once a run: creating an embedded database takes seconds, copying an empty one a fraction of one. */
export default async function setup(): Promise<(() => void) | undefined> {
  if (process.env.DATABASE_URL) return undefined
  const directory = mkdtempSync(join(tmpdir(), 'understudy-test-empty-'))
  const { close } = await openDatabase(`embedded:${directory}`)
  await close()
  process.env[emptyDatabaseVariable] = directory
  return () => rmSync(directory, { recursive: true, force: true })
}
