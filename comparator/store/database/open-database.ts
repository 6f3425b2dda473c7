import { chmod, stat } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { lockDirectory } from '../../../runtime/directory-lock.ts'
import type { Logger } from '../../../runtime/logger.ts'
import { makeDirectory } from '../../../runtime/make-directory.ts'
import { type Milliseconds, minuteMs } from '../../../vocabulary/units.ts'
import { analyseGrown } from './analyse-grown.ts'
import { readOnly } from './connection-error.ts'
import { freeBytesOf, hasRoom } from './disk-room.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

const int8 = 20
const bytea = 17
const date = 1082
/** Counts and ids are far below 2^53, so numbers will do; pg would return strings, and a day as local midnight. */
const parsers = { [int8]: (text: string) => Number(text), [date]: (text: string) => text }

const poolSizeMax = 10
const connectTimeoutMs = 10_000
const statementTimeoutMs = minuteMs
/** Longer than a server that is there needs to end a statement. */
const silenceMsMax: Milliseconds = statementTimeoutMs + 15_000

/** PostgreSQL 14, in the form of `server_version_num`. */
const postgresVersionMin = 140_000

/**
 * Partitioned tables are not analysed as a whole, so the planner expects millions of rows from joins of days, and would
 * compile a query for a second that reads a page of fifty in a tenth of one. The others are PostgreSQL's own defaults,
 * which a server, a database or a role may change: pg parses dates in ISO form only, numbers must keep all digits, and
 * locks are of no use in a transaction that sees what was there before it got them.
 */
const settings = `
  set jit = off;
  set datestyle = 'ISO, MDY';
  set extra_float_digits = 1;
  set default_transaction_isolation = 'read committed'`

/**
 * Compresses with lz4 where the server supports it and nobody has configured another method. Two bodies of 40 kB of
 * numbers each take the server 0.5 ms instead of 2.8 ms with the default pglz, for a sixth more space.
 */
const packQuickly = `
  select set_config(name, 'lz4', false) from pg_settings
  where name = 'default_toast_compression' and source = 'default' and 'lz4' = any (enumvals)`

/**
 * Opens `embedded:DIRECTORY` (`embedded:memory` keeps nothing) or `postgres://…`; the same SQL runs on both. Throws if
 * the server cannot be reached or is too old, or if the directory cannot be used, and names it.
 */
export async function openDatabase(url: string, options: OpenOptions = {}): Promise<OpenDatabase> {
  return url.startsWith('embedded:') ? openEmbedded(url.slice('embedded:'.length), options) : openPostgres(url, options)
}

interface OpenOptions {
  /** How long a server may be silent, once that is limited. */
  silenceMs?: Milliseconds
  /** Whether a replica will do, from which can only be read. */
  mayBeReplica?: boolean
  /** Free space on the disk that holds a directory. */
  freeBytes?: typeof freeBytesOf | undefined
  logger?: Logger
}

interface OpenDatabase {
  db: Db
  /** Whether the disk has room for more evidence; always true for a server, which looks after its own disk. */
  hasRoom: () => Promise<boolean>
  /** To be called periodically where present; a server analyses its tables itself. */
  analyse?: () => Promise<unknown>
  /**
   * Gives up a connection, from now on, whose server has not answered for longer than any statement may take. To be
   * called after the migration, whose statements may take any time. Where a server's host is gone, TCP alone would have
   * each query wait for a quarter of an hour, and all connections of the pool with them.
   */
  limitSilence: () => void
  close: () => Promise<void>
}

async function openEmbedded(
  directory: string,
  { freeBytes = freeBytesOf, logger }: OpenOptions,
): Promise<OpenDatabase> {
  const inMemory = directory === 'memory'
  const unlock = inMemory ? async () => {} : await takeDirectory(directory, logger)
  try {
    logger?.info({ directory }, 'opening the embedded database; a new one takes some seconds')
    const pglite = await PGlite.create(inMemory ? {} : { dataDir: dataIn(directory) })
    // PGlite's own parser of bytea goes byte by byte: it takes a hundred times longer, most of a read of a month
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

async function openPostgres(connectionString: string, options: OpenOptions): Promise<OpenDatabase> {
  const { mayBeReplica, logger, silenceMs = silenceMsMax } = options
  let isSilenceLimited = false
  const pool = new pg.Pool({
    connectionString,
    max: poolSizeMax,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    async onConnect(client) {
      const socket = socketOf(client)
      socket.setTimeout(silenceMs)
      // `on`, since a silence that is not limited yet must not be the last that is noticed
      socket.on('timeout', () => {
        const error = Object.assign(new Error('the database has gone silent'), { code: 'ETIMEDOUT' })
        if (isSilenceLimited) socket.destroy(error)
      })
      await client.query(settings)
      await client.query(packQuickly)
      if (!mayBeReplica) await refuseReplica(client)
    },
    types: {
      getTypeParser: (oid, format) =>
        (parsers as Record<number, (text: string) => unknown>)[oid] ?? pg.types.getTypeParser(oid, format as never),
    },
  })
  // dropped connections are replaced: idle ones at the next query, those in use when their query fails
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const server = serverIn(connectionString)
  logger?.info({ server }, 'connecting to the database')
  await refuseUnusable(pool, server)
  const db: Db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const limitSilence = () => {
    isSilenceLimited = true
  }
  return { db, hasRoom: async () => true, limitSilence, close: () => db.destroy() }
}

/** Its socket, by TLS or not, which pg's types leave out. */
const socketOf = (client: pg.ClientBase) => (client as unknown as { connection: { stream: Socket } }).connection.stream

/**
 * After a failover the server's name may lead to the old primary for a while, which is now a replica. A pool that
 * keeps such a connection could not write any more, though the name has long led to the new primary.
 */
async function refuseReplica(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ is_replica: boolean }>('select pg_is_in_recovery() as is_replica')
  if (rows[0]?.is_replica) throw Object.assign(new Error('it is a read-only replica'), { code: readOnly })
}

/** The parts of the URL that are not secret. */
function serverIn(connectionString: string): string {
  // a client that never connects, to parse them
  const { user, host, port, database } = new pg.Client({ connectionString })
  // database and user have no default without USER in the environment, as under some service managers
  const names = [`${host}:${port}`, database && `database ${database}`, user && `as user ${user}`].filter(Boolean)
  return `PostgreSQL at ${names.join(', ')}`
}

async function refuseUnusable(pool: pg.Pool, server: string): Promise<void> {
  try {
    const { rows } = await pool.query<{ server_version: string; number: number }>(
      `select current_setting('server_version') as server_version, current_setting('server_version_num')::int as number`,
    )
    const { server_version, number } = rows[0]!
    if (number < postgresVersionMin) throw new Error(`expected version 14 or later, got ${server_version}`)
  } catch (error) {
    await pool.end()
    // the AggregateError of a host with several addresses has no message
    const { message, code } = error as NodeJS.ErrnoException
    throw new Error(`comparator.database: ${server}, cannot be used: ${message || code}`, { cause: error })
  }
}
