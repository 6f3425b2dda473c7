import { openEmbedded } from './open-embedded.ts'
import { openPostgres } from './open-postgres.ts'
import type { OpenDatabase, OpenOptions } from './opened-database.ts'

export type { Db, Tx } from './opened-database.ts'

/**
 * Opens `embedded:DIRECTORY` (`embedded:memory` keeps nothing) or `postgres://…`; the same SQL runs on both. Throws if
 * the server cannot be reached or is too old, or if the directory cannot be used, and names it.
 */
export async function openDatabase(url: string, options: OpenOptions = {}): Promise<OpenDatabase> {
  return url.startsWith('embedded:') ? openEmbedded(url.slice('embedded:'.length), options) : openPostgres(url, options)
}
