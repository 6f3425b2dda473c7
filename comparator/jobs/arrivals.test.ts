import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  classification,
  observation,
  regression,
  scores,
  startTestComparator,
  type TestComparator,
  tokens,
} from '../../test/support/comparator.ts'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import type { ArrivingView } from '../../vocabulary/api/arriving.ts'
import { openDatabase } from '../store/database/open-database.ts'
import { addValidations } from '../store/gate/policies.ts'
import { Arrivals } from './arrivals.ts'

const minute = 60_000
const start = Date.UTC(2026, 10, 21, 8)
const atMinute = (minutes: number) => new Date(start + minutes * minute).toISOString()

describe('a validation', () => {
  let testDatabase: TestDatabase
  let opened: Awaited<ReturnType<typeof openDatabase>>
  beforeAll(async () => {
    testDatabase = await createTestDatabase()
    opened = await openDatabase(testDatabase.url)
    await addValidations(opened.db, [{ name: 'v', policy: {} as never, digest: 'd' }])
  })
  afterAll(async () => {
    await opened?.close()
    await testDatabase?.drop()
  })

  async function setUp() {
    const { db } = opened
    await db.deleteFrom('arrival').execute()
    const time = { minutes: 0 }
    const clock = { now: () => start + time.minutes * minute, monotonic: () => time.minutes * minute }
    const lines: Record<string, unknown>[] = []
    const logger = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(JSON.parse(line)) })
    const comparator = () => new Arrivals([{ name: 'v', config: { quietAfter: 10 * minute } }], clock, logger)
    return { db, time, lines, comparator }
  }

  test('is quiet once quietAfter has passed since the start, then since the last arrival', async () => {
    const { db, time, lines, comparator } = await setUp()
    const arrivals = comparator()
    time.minutes = 9.9
    await arrivals.sync(db)
    expect(arrivals.view('v')).toEqual({ lastSeenAt: null, quietSince: null, mirror: null })
    time.minutes = 10
    await arrivals.sync(db)
    await arrivals.sync(db)
    expect(arrivals.view('v')).toEqual({ lastSeenAt: null, quietSince: atMinute(0), mirror: null })
    arrivals.noteExchange('v')
    expect(arrivals.view('v')).toMatchObject({ lastSeenAt: atMinute(10), quietSince: null })
    await arrivals.sync(db)
    time.minutes = 20
    expect(arrivals.list()).toEqual([{ validation: 'v', isQuiet: true, lastSeenAt: start + 10 * minute }])
    expect(lines.map(({ level, validation }) => [level, validation])).toEqual([
      [40, 'v'],
      [30, 'v'],
    ])
  })

  test('is not quiet where another comparator on the database receives evidence, nor just after a restart', async () => {
    const { db, time, comparator } = await setUp()
    const [one, other] = [comparator(), comparator()]
    // saved late: takes back nothing of what is newer
    time.minutes = 8
    other.noteExchange('v')
    time.minutes = 9
    one.noteExchange('v')
    one.noteHeartbeat('v', '/p')
    await one.sync(db)
    time.minutes = 10
    await other.sync(db)
    expect(other.view('v')).toEqual({
      lastSeenAt: atMinute(9),
      quietSince: null,
      mirror: { route: '/p', lastReportAt: atMinute(9) },
    })
    time.minutes = 60
    expect(other.view('v')).toMatchObject({ quietSince: atMinute(9), mirror: null })
    const restarted = comparator()
    await restarted.sync(db)
    expect(restarted.view('v')).toMatchObject({ lastSeenAt: atMinute(9), quietSince: null })
    time.minutes = 70
    expect(restarted.view('v')).toMatchObject({ quietSince: atMinute(9) })
  })

  test('that was decided against is never quiet', async () => {
    const { db, time, comparator } = await setUp()
    const arrivals = comparator()
    time.minutes = 60
    for (const state of ['rolledBack', 'rejected', 'rollingOut', 'promoted', 'observing'] as const) {
      await db.updateTable('validation').set({ state }).execute()
      await arrivals.sync(db)
      const expected = state === 'rolledBack' || state === 'rejected' ? null : atMinute(0)
      expect(arrivals.view('v').quietSince, state).toBe(expected)
    }
  })

  test('loses no arrival to a database that fails', async () => {
    const { db, time, comparator } = await setUp()
    const [one, other] = [comparator(), comparator()]
    time.minutes = 1
    one.noteExchange('v')
    await db.schema.alterTable('arrival').renameTo('away').execute()
    await expect(one.sync(db)).rejects.toThrow(/arrival/)
    await db.schema.alterTable('away').renameTo('arrival').execute()
    await one.sync(db)
    await other.sync(db)
    expect(other.view('v').lastSeenAt).toBe(atMinute(1))
  })
})

describe('a running comparator', () => {
  let comparator: TestComparator
  const time = { passed: 0 }
  const began = Date.now()
  const clock = { now: () => began + time.passed, monotonic: () => time.passed }
  beforeAll(async () => {
    comparator = await startTestComparator([classification, { ...regression, quietAfter: '2h' }], { clock })
  })
  afterAll(() => comparator?.close())

  const arriving = async (name: string): Promise<ArrivingView> =>
    (await comparator.call('GET', `/v1/validations/${name}`, { token: tokens.viewer })).body.arriving
  const metric = async (name: string) =>
    String((await comparator.call('GET', '/metrics')).body)
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`))
  const coverage = (body: object) => comparator.call('POST', '/v1/coverage', { body })
  const thisMinute = new Date(began - (began % minute)).toISOString()
  const report = { reporter: 'm', validation: 'digits', minute: thisMinute, sizeClass: 'le1KiB' }

  test('raises an alarm after each validation’s quietAfter, which an observation ends', async () => {
    time.passed = 11 * minute
    expect(await arriving('digits')).toMatchObject({ lastSeenAt: null, quietSince: new Date(began).toISOString() })
    expect(await arriving('price')).toMatchObject({ quietSince: null })
    expect(await metric('understudy_comparator_quiet')).toEqual([
      'understudy_comparator_quiet{validation="digits"} 1',
      'understudy_comparator_quiet{validation="price"} 0',
    ])
    const sent = { at: clock.now(), primary: scores(1), candidate: scores(1) }
    expect((await comparator.post([observation(sent)])).accepted).toBe(1)
    expect(await arriving('digits')).toMatchObject({
      lastSeenAt: new Date(clock.now()).toISOString(),
      quietSince: null,
    })
    expect(await metric('understudy_comparator_last_seen_timestamp_seconds')).toEqual([
      `understudy_comparator_last_seen_timestamp_seconds{validation="digits"} ${clock.now() / 1000}`,
    ])
  })

  test('distinguishes a mirror that reports but sees no traffic from one that does not report', async () => {
    time.passed += 11 * minute
    expect(await arriving('digits')).toMatchObject({ quietSince: expect.any(String), mirror: null })
    const mirrors = [
      { validation: 'digits', route: '/predictions/digits' },
      { validation: 'unknown', route: '/x' },
    ]
    const { status, body } = await coverage({ reports: [], mirrors })
    expect([status, body]).toEqual([202, { accepted: 0, duplicates: 0, rejected: [] }])
    expect(await arriving('digits')).toMatchObject({
      quietSince: expect.any(String),
      mirror: { route: '/predictions/digits', lastReportAt: new Date(clock.now()).toISOString() },
    })
    time.passed += 90_000
    expect((await arriving('digits')).mirror).toBeNull()
  })

  test('counts a mirror’s report of exchanges as an arrival, even if none was compared', async () => {
    await coverage({ reports: [{ ...report, seen: 0, skipped: { rejected: 1 } }] })
    expect((await arriving('digits')).quietSince).not.toBeNull()
    await coverage({ reports: [{ ...report, seen: 3, skipped: { notSampled: 3 } }] })
    expect((await arriving('digits')).quietSince).toBeNull()
  })

  test('does not count a repeated report as an arrival', async () => {
    time.passed += 11 * minute
    for (const skipped of [{ notSampled: 3 }, { notSampled: 3, rejected: 1 }]) {
      await coverage({ reports: [{ ...report, seen: 3, skipped }] })
      expect((await arriving('digits')).quietSince).not.toBeNull()
    }
    await coverage({ reports: [{ ...report, seen: 4, skipped: { notSampled: 3, rejected: 1 } }] })
    expect((await arriving('digits')).quietSince).toBeNull()
  })

  test('knows after a restart when something last arrived', async () => {
    const { lastSeenAt } = await arriving('digits')
    expect(lastSeenAt).not.toBeNull()
    await comparator.restart()
    expect((await arriving('digits')).lastSeenAt).toBe(lastSeenAt)
  })
})
