import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Logger } from '../../../runtime/logger.ts'
import { openDatabase } from './open-database.ts'

vi.mock('node:fs/promises', { spy: true })

const message = (kind: string, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts)
  const head = Buffer.from(`${kind}....`)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
const int16 = (value: number) => Buffer.from([value >> 8, value & 0xff])
const int32 = (value: number) => Buffer.from([0, 0, value >> 8, value & 0xff])
const text = (value: string) => Buffer.from(`${value}\0`)
const column = (name: string, type: number) =>
  Buffer.concat([text(name), int32(0), int16(0), int32(type), int16(-1), int32(0), int16(0)])
const types = { bool: 16, int4: 23, text: 25 }
const value = (text: string) => Buffer.concat([int32(text.length), Buffer.from(text)])
const ready = message('Z', Buffer.from('I'))

/**
 * A fake server that answers any query with its version and whether it is a replica, in PostgreSQL's protocol 3; `asked`
 * is called with each, and `begun` with the names and values that a connection begins with.
 */
async function serverOfVersion(
  version: string,
  number: string,
  {
    begun,
    asked,
    isReplica,
    isSilent,
  }: {
    begun?: (parameters: string[]) => void
    asked?: (query: string) => void
    isReplica?: () => boolean
    isSilent?: () => boolean
  } = {},
): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', (startup: Buffer) => {
      begun?.(startup.subarray(8).toString().split('\0'))
      socket.write(Buffer.concat([message('R', int32(0)), ready]))
      socket.on('data', (query: Buffer) => {
        if (query[0] !== 'Q'.charCodeAt(0) || isSilent?.()) return
        asked?.(query.subarray(5, -1).toString())
        const columns = [column('server_version', types.text), column('number', types.int4)]
        const head = message('T', int16(3), ...columns, column('is_replica', types.bool))
        const row = message('D', int16(3), value(version), value(number), value(isReplica?.() ? 't' : 'f'))
        socket.write(Buffer.concat([head, row, message('C', text('SELECT 1')), ready]))
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

test.each(['prefer', 'require', 'verify-ca'])('sslmode=%s is verify-full, in our words', async (mode) => {
  const port = await serverOfVersion('16.4', '160004')
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => warned.mockRestore())
  const lines: string[] = []
  const logger = pino({}, { write: (line) => lines.push(line) }) as Logger
  // this server has no TLS
  const url = `postgres://understudy@127.0.0.1:${port}/evidence?sslmode=${mode}`
  await expect(openDatabase(url, { logger })).rejects.toThrow('SSL')
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    'connecting to the database',
    expect.stringContaining(`comparator.database: sslmode=${mode} is taken as verify-full`),
  ])
  expect(warned).not.toHaveBeenCalled()
})

test('a server that is too old is refused with its version', async () => {
  const port = await serverOfVersion('13.9', '130009')
  await expect(openDatabase(`postgres://understudy:secret@127.0.0.1:${port}/evidence`)).rejects.toThrow(
    `comparator.database: PostgreSQL at 127.0.0.1:${port}, database evidence, as user understudy, cannot be used: expected version 14 or later, got 13.9`,
  )
})

test('a server that is new enough is accepted, and named in the log without its password', async () => {
  const port = await serverOfVersion('14.0', '140000')
  const lines: object[] = []
  const logger = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const { close } = await openDatabase(`postgres://understudy:secret@127.0.0.1:${port}/evidence`, { logger })
  await close()
  const server = `PostgreSQL at 127.0.0.1:${port}, database evidence, as user understudy`
  expect(lines).toEqual([{ level: 30, server, msg: 'connecting to the database' }])
})

test('a connection begins with nothing that PgBouncer would refuse', async () => {
  const parameters: string[] = []
  const port = await serverOfVersion('14.0', '140000', { begun: (found) => parameters.push(...found) })
  const { close } = await openDatabase(`postgres://postgres@127.0.0.1:${port}/postgres`)
  await close()
  const names = parameters.filter((name, i) => i % 2 === 0 && name !== '')
  expect(names.sort()).toEqual(['client_encoding', 'database', 'user'])
})

test('settings are made before any other query', async () => {
  const asked: string[] = []
  const port = await serverOfVersion('15.20', '150020', { asked: (query) => asked.push(query) })
  const { close } = await openDatabase(`postgres://understudy@127.0.0.1:${port}/evidence`)
  await close()
  expect(asked[0]).toMatch(/^\s*set jit = off;/)
})

test('a pool keeps no connection to a replica, to which a failover may lead at first', async () => {
  let isReplica = false
  const port = await serverOfVersion('15.20', '150020', { isReplica: () => isReplica })
  const url = `postgres://understudy@127.0.0.1:${port}/evidence`
  const { db, close } = await openDatabase(url)
  onTestFinished(close)
  // the only connection so far is in use
  await db.connection().execute(async () => {
    isReplica = true
    await expect(sql`select`.execute(db)).rejects.toMatchObject({ code: '25006', message: 'it is a read-only replica' })
    isReplica = false
    await sql`select`.execute(db)
  })
})

test('a connection whose server has gone silent is given up, and another takes its place', async () => {
  let isSilent = false
  const port = await serverOfVersion('15.20', '150020', { isSilent: () => isSilent })
  const url = `postgres://understudy@127.0.0.1:${port}/evidence`
  const { db, limitSilence, close } = await openDatabase(url, { silenceMs: 1000 })
  onTestFinished(close)
  limitSilence()
  await sql`select`.execute(db)
  isSilent = true
  await expect(sql`select`.execute(db)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  isSilent = false
  await sql`select`.execute(db)
})

test('a connection that was silent for long before silence was limited, as in a migration, is given up too', async () => {
  let isSilent = false
  const port = await serverOfVersion('15.20', '150020', { isSilent: () => isSilent })
  const url = `postgres://understudy@127.0.0.1:${port}/evidence`
  const { db, limitSilence, close } = await openDatabase(url, { silenceMs: 1000 })
  onTestFinished(close)
  await sleep(1100)
  await sql`select`.execute(db)
  limitSilence()
  isSilent = true
  await expect(sql`select`.execute(db)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
})

test('a replica is refused, unless it is only to be read', async () => {
  const port = await serverOfVersion('15.20', '150020', { isReplica: () => true })
  const url = `postgres://understudy@127.0.0.1:${port}/evidence`
  await expect(openDatabase(url)).rejects.toThrow(/cannot be used: it is a read-only replica$/)
  const { close } = await openDatabase(url, { onlyReads: true })
  await close()
})

const { DATABASE_URL: serverUrl } = process.env

test.skipIf(!serverUrl)(
  'settings of the server or the role that would change what is read have no effect',
  async () => {
    const options = '-c datestyle=German -c extra_float_digits=0 -c default_transaction_isolation=serializable'
    const url = new URL(serverUrl!)
    url.searchParams.set('options', options)
    const { db, close } = await openDatabase(url.href)
    onTestFinished(close)
    const read = sql<object>`
    select '2026-11-26T08:00:00.123Z'::timestamptz as at, 1.0000000000000002::double precision as number,
      current_setting('transaction_isolation') as isolation`
    const expected = {
      at: new Date('2026-11-26T08:00:00.123Z'),
      number: 1.0000000000000002,
      isolation: 'read committed',
    }
    expect((await db.transaction().execute((tx) => read.execute(tx))).rows).toEqual([expected])
  },
)

test.skipIf(!serverUrl)('where a server has lz4, that packs what is long', async () => {
  const { db, close } = await openDatabase(serverUrl!)
  onTestFinished(close)
  const { rows } = await sql<{ chosen: string; known: string[] }>`
    select setting as chosen, enumvals as known from pg_settings where name = 'default_toast_compression'
  `.execute(db)
  const { chosen, known } = rows[0]!
  expect(chosen).toBe(known.includes('lz4') ? 'lz4' : 'pglz')
})

test('an unreachable server is named without its password', async () => {
  const error: Error = await openDatabase('postgres://understudy:secret@localhost:1/evidence').then(
    () => expect.unreachable(),
    (error) => error,
  )
  expect(error.message).toMatch(
    /PostgreSQL at localhost:1, database evidence, as user understudy, cannot be used: .*ECONNREFUSED/,
  )
  expect(error.message).not.toContain('secret')
})

test('an unreachable server is named without database and user where neither is known', async () => {
  vi.stubEnv('USER', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  await expect(openDatabase('postgres://127.0.0.1:1')).rejects.toThrow(
    'comparator.database: PostgreSQL at 127.0.0.1:1, cannot be used: connect ECONNREFUSED',
  )
})

test('an embedded database whose directory cannot be made is named as in the config', async () => {
  const directory = join(import.meta.filename, 'db')
  await expect(openDatabase(`embedded:${directory}`)).rejects.toThrow(
    `comparator.database: embedded:${directory} cannot be used: ENOTDIR`,
  )
})

test('an embedded database that is only to be read is not created', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'understudy-open-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  await expect(openDatabase(`embedded:${directory}`, { onlyReads: true })).rejects.toThrow(
    `comparator.database: embedded:${directory} cannot be used: there is no database`,
  )
  expect(readdirSync(directory)).toEqual([])
})

/** The mode of a data directory after opening, if it had this one before. */
async function openIn(mode: number, logger?: Logger): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'understudy-open-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  chmodSync(directory, 0o755)
  mkdirSync(join(directory, 'pg'))
  chmodSync(join(directory, 'pg'), mode)
  const { close } = await openDatabase(`embedded:${directory}`, logger && { logger })
  await close()
  return statSync(join(directory, 'pg')).mode & 0o777
}

test('an embedded database is closed to others, even in a directory that is open to them', async () => {
  // as the engine creates it
  expect(await openIn(0o755)).toBe(0o750)
})

test('permissions of the group, as for a backup, stay', async () => {
  expect(await openIn(0o750)).toBe(0o750)
})

test('where the mode cannot be changed, as on the volume of another user, the database is used with a warning', async () => {
  vi.mocked(chmod).mockRejectedValueOnce(Object.assign(new Error('not permitted'), { code: 'EPERM' }))
  const warn = vi.fn()
  expect(await openIn(0o755, { info() {}, warn } as unknown as Logger)).toBe(0o755)
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.anything(), expect.stringContaining('open to everybody'))
})
