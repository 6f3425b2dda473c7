import { chmod, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { lockDirectory } from '../../runtime/directory-lock.ts'
import type { Logger } from '../../runtime/logger.ts'
import { makeDirectory } from '../../runtime/make-directory.ts'
import { minuteMs } from '../../vocabulary/units.ts'
import { analyseGrown } from './analyse-grown.ts'
import { freeBytesOf, hasRoom } from './disk-room.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

const int8 = 20
const bytea = 17
const date = 1082
/** Counts and ids are far below 2^53; pg would hand them out as strings, and a day as midnight here. */
const parsers = { [int8]: (text: string) => Number(text), [date]: (text: string) => text }

const poolSizeMax = 10
const connectTimeoutMs = 10_000
const statementTimeoutMs = minuteMs

/** PostgreSQL 14; as `server_version_num` has it. */
const postgresVersionMin = 140_000

/**
 * The two bodies of an observation, 40 kB of numbers each, take the server 0.5 ms with lz4 and 2.8 with its own pglz, and a
 * sixth more room. Where it was built with it, and nobody has chosen.
 */
const packQuickly = `
  select set_config(name, 'lz4', false) from pg_settings
  where name = 'default_toast_compression' and source = 'default' and 'lz4' = any (enumvals)`

/**
 * `embedded:DIRECTORY` (`embedded:memory` keeps nothing) or `postgres://…`. The same SQL runs on both. Throws where the
 * server cannot be asked, or is too old, or the directory cannot be had, and says which one that is.
 */
export async function openDatabase(url: string, options: OpenOptions = {}): Promise<OpenDatabase> {
  return url.startsWith('embedded:') ? openEmbedded(url.slice('embedded:'.length), options) : openPostgres(url)
}

interface OpenOptions {
  /** Of a directory's disk. */
  freeBytes?: typeof freeBytesOf | undefined
  logger?: Logger
}

interface OpenDatabase {
  db: Db
  /** Whether the disk leaves room for more evidence; a server looks after its own. */
  hasRoom: () => Promise<boolean>
  /** To be called every now and then; a server sees to it by itself. */
  analyse?: () => Promise<unknown>
  close: () => Promise<void>
}

async function openEmbedded(
  directory: string,
  { freeBytes = freeBytesOf, logger }: OpenOptions,
): Promise<OpenDatabase> {
  const inMemory = directory === 'memory'
  const unlock = inMemory ? async () => {} : await takeDirectory(directory, logger)
  try {
    const pglite = await PGlite.create(inMemory ? {} : { dataDir: dataIn(directory) })
    // its own takes bytes one by one: a hundred times longer, and most of a look at a month
    pglite.parsers = { ...pglite.parsers, ...parsers, [bytea]: (text) => Buffer.from(text.slice('\\x'.length), 'hex') }
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
    return { db, hasRoom: inMemory ? async () => true : room, analyse: () => analyseGrown(db), close }
  } catch (error) {
    await unlock()
    throw error
  }
}

const dataIn = (directory: string) => join(directory, 'pg')

async function takeDirectory(directory: string, logger?: Logger): Promise<() => Promise<void>> {
  try {
    await makeDirectory(directory, 0o700)
    if (!(await makeDirectory(dataIn(directory), 0o700))) await closeToOthers(dataIn(directory), logger)
    // two engines on one directory would corrupt it
    return lockDirectory(directory)
  } catch (error) {
    const { message } = error as Error
    throw new Error(`comparator.database: embedded:${directory} cannot be used: ${message}`, { cause: error })
  }
}

/**
 * The engine leaves files in it that anybody may write, and the directory above may be somebody's, open to all. Its group
 * keeps what it was given, as for a backup. Where the file system cannot do it the database can still be used.
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

async function openPostgres(connectionString: string): Promise<OpenDatabase> {
  const pool = new pg.Pool({
    connectionString,
    max: poolSizeMax,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    async onConnect(client) {
      // no one analyses a partitioned table itself, so joins of days are taken for millions of rows, and a page of fifty
      // is compiled for a second and read in a tenth of one
      await client.query('set jit = off')
      await client.query(packQuickly)
    },
    types: {
      getTypeParser: (oid, format) =>
        (parsers as Record<number, (text: string) => unknown>)[oid] ?? pg.types.getTypeParser(oid, format as never),
    },
  })
  // a connection that the server drops is replaced: an idle one at the next query, one in use when its query fails
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  await refuseUnusable(pool, connectionString)
  const db: Db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return { db, hasRoom: async () => true, close: () => db.destroy() }
}

async function refuseUnusable(pool: pg.Pool, connectionString: string): Promise<void> {
  // a client that never connects, for the words in the string that are no secret
  const { user, host, port, database } = new pg.Client({ connectionString })
  // without USER in the environment, as under some service managers, neither has a default
  const names = [`${host}:${port}`, database && `database ${database}`, user && `as user ${user}`].filter(Boolean)
  const place = `comparator.database: PostgreSQL at ${names.join(', ')}`
  try {
    const { rows } = await pool.query<{ server_version: string; number: number }>(
      `select current_setting('server_version') as server_version, current_setting('server_version_num')::int as number`,
    )
    const { server_version, number } = rows[0]!
    if (number < postgresVersionMin) throw new Error(`expected version 14 or later, got ${server_version}`)
  } catch (error) {
    await pool.end()
    // where a name has several addresses the error that stands for all of them has no message
    const { message, code } = error as NodeJS.ErrnoException
    throw new Error(`${place}, cannot be used: ${message || code}`, { cause: error })
  }
}
