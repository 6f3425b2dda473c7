import type { Socket } from 'node:net'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { type Milliseconds, minuteMs } from '../../../vocabulary/units.ts'
import { columnParsers } from './column-parsers.ts'
import { readOnly } from './connection-error.ts'
import type { Db, OpenDatabase, OpenOptions } from './opened-database.ts'
import type { Tables } from './tables.ts'

const poolSizeMax = 10
const connectTimeoutMs = 10_000
const statementTimeoutMs = minuteMs
/** Longer than a server that is there needs to end a statement. */
const silenceMsMax: Milliseconds = statementTimeoutMs + 15_000

/** PostgreSQL 14, in the form of `server_version_num`. */
const postgresVersionMin = 140_000

/**
 * Settings of a connection, made once it is there: PgBouncer refuses one that begins with them. Without `jit = off` the
 * planner, which expects millions of rows from joins of days, since partitioned tables are not analysed as a whole,
 * would compile a query for a second that reads a page of fifty in a tenth of one. The next three are PostgreSQL's own
 * defaults, which a server, a database or a role may change: pg parses dates in ISO form only, numbers must keep all
 * digits, and locks are of no use in a transaction that sees what was there before it got them.
 */
const settings = `
  set jit = off;
  set datestyle = 'ISO, MDY';
  set extra_float_digits = 1;
  set default_transaction_isolation = 'read committed';
  set statement_timeout = ${statementTimeoutMs}`

/**
 * Compresses with lz4 where the server supports it and nobody has configured another method. Two bodies of 40 kB of
 * numbers each take the server 0.5 ms instead of 2.8 ms with the default pglz, for a sixth more space.
 */
const packQuickly = `
  select set_config(name, 'lz4', false) from pg_settings
  where name = 'default_toast_compression' and source = 'default' and 'lz4' = any (enumvals)`

/** Those that pg takes as `verify-full` today and, as it warns, will take in libpq's weaker sense one day. */
const tlsModes = /(?<=[?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/

export async function openPostgres(url: string, options: OpenOptions): Promise<OpenDatabase> {
  const { onlyReads, logger, silenceMs = silenceMsMax } = options
  const [tlsMode] = url.includes('uselibpqcompat=true') ? [] : (tlsModes.exec(url) ?? [])
  const connectionString = tlsMode === undefined ? url : url.replace(tlsModes, 'verify-full')
  let isSilenceLimited = false
  const pool = new pg.Pool({
    connectionString,
    max: poolSizeMax,
    connectionTimeoutMillis: connectTimeoutMs,
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
      if (!onlyReads) await refuseReplica(client)
    },
    types: {
      getTypeParser: (oid, format) => columnParsers[oid] ?? pg.types.getTypeParser(oid, format as never),
    },
  })
  // dropped connections are replaced: idle ones at the next query, those in use when their query fails
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const server = serverIn(connectionString)
  logger?.info({ server }, 'connecting to the database')
  if (tlsMode !== undefined) {
    logger?.info(
      `comparator.database: sslmode=${tlsMode} is taken as verify-full: the server’s certificate must be valid for its ` +
        'name, by an authority known to Node or in the file of &sslrootcert=FILE; sslmode=no-verify checks nothing',
    )
  }
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
