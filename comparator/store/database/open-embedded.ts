import { existsSync } from 'node:fs'
import { chmod, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect } from 'kysely'
import { lockDirectory } from '../../../runtime/directory-lock.ts'
import type { Logger } from '../../../runtime/logger.ts'
import { makeDirectory } from '../../../runtime/make-directory.ts'
import { analyseGrown } from './analyse-grown.ts'
import { columnParsers } from './column-parsers.ts'
import { freeBytesOf, hasRoom } from './disk-room.ts'
import type { Db, OpenDatabase, OpenOptions } from './opened-database.ts'
import type { Tables } from './tables.ts'

const bytea = 17

export async function openEmbedded(
  directory: string,
  { freeBytes = freeBytesOf, logger, onlyReads = false }: OpenOptions,
): Promise<OpenDatabase> {
  const inMemory = directory === 'memory'
  const unlock = inMemory ? async () => {} : await takeDirectory(directory, onlyReads, logger)
  try {
    logger?.info({ directory }, 'opening the embedded database; a new one takes some seconds')
    const pglite = await PGlite.create(inMemory ? {} : { dataDir: dataIn(directory) })
    // PGlite's own parser of bytea goes byte by byte: it takes a hundred times longer, most of a read of a month
    pglite.parsers = {
      ...pglite.parsers,
      ...columnParsers,
      [bytea]: (text) => Buffer.from(text.slice('\\x'.length), 'hex'),
    }
    const db: Db = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) })
    const close = async () => {
      await db.destroy()
      if (!pglite.closed) await pglite.close()
      await unlock()
    }
    const room = () =>
      hasRoom(
        () => freeBytes(directory),
        () => pglite.exec('checkpoint'),
      )
    return {
      db,
      hasRoom: inMemory ? async () => true : room,
      analyse: () => analyseGrown(db),
      limitSilence() {},
      close,
    }
  } catch (error) {
    await unlock()
    throw error
  }
}

const dataIn = (directory: string) => join(directory, 'pg')

async function takeDirectory(directory: string, onlyReads: boolean, logger?: Logger): Promise<() => Promise<void>> {
  try {
    if (onlyReads && !existsSync(dataIn(directory))) {
      throw new Error('there is no database, seen from the folder that this command runs in')
    }
    await makeDirectory(directory, 0o700)
    if (!(await makeDirectory(dataIn(directory), 0o700))) await closeToOthers(dataIn(directory), logger)
    // two engines on one directory would corrupt it
    return await lockDirectory(directory)
  } catch (error) {
    const { message } = error as Error
    throw new Error(`comparator.database: embedded:${directory} cannot be used: ${message}`, { cause: error })
  }
}

/**
 * Takes all permissions from others, since the engine creates files that anybody may write, and the parent directory
 * may be open to all. The group keeps its permissions, say for a backup. Where the mode cannot be changed, the database
 * is used all the same.
 */
async function closeToOthers(directory: string, logger?: Logger): Promise<void> {
  const { mode } = await stat(directory)
  if ((mode & 0o007) === 0) return
  try {
    await chmod(directory, mode & 0o7770)
  } catch (error) {
    if (!noChmod.has((error as NodeJS.ErrnoException).code!)) throw error
    logger?.warn({ err: error, directory }, 'the database is open to everybody and its mode cannot be changed')
  }
}

const noChmod = new Set(['EPERM', 'ENOTSUP', 'EROFS'])
