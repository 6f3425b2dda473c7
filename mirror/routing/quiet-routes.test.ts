import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { Ledger } from '../ledger/ledger.ts'
import { answering, fakeUpstream } from '../testing/fake-upstream.ts'
import { mirrorUnderTest, send } from '../testing/mirror-under-test.ts'
import { QuietRoutes, type WatchedRoute } from './quiet-routes.ts'

const minute = 60_000
const start = Date.UTC(2026, 10, 21, 8)

function setUp() {
  const time = { passed: 0, wallStep: 0 }
  const clock = { now: () => start + time.passed + time.wallStep, monotonic: () => 5000 + time.passed }
  const lines: Record<string, unknown>[] = []
  const logger = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const ledger = new Ledger()
  ledger.resume('a', 7)
  const routes: WatchedRoute[] = [
    { path: '/p', methods: ['POST'], understudies: [{ validation: 'a' }] },
    { path: '/q', methods: ['GET', 'POST'], understudies: [{ validation: 'b' }] },
    { path: '/none', methods: ['POST'], understudies: [] },
  ]
  const quietBehind = (before?: QuietRoutes, routesNow = routes) =>
    new QuietRoutes({ routes: routesNow, ledger, quietAfterMs: 10 * minute, clock, logger, before: before?.state })
  const quiet = quietBehind()
  const quietOnes = () => quiet.alarms.map(({ validation }) => validation)
  return { time, lines, ledger, routes, quiet, quietBehind, quietOnes }
}

describe('a route with candidates', () => {
  test('on which nothing arrives is quiet once quietAfter has passed since the start', () => {
    const { time, quiet, quietOnes } = setUp()
    time.passed = 10 * minute - 1
    expect(quietOnes()).toEqual([])
    time.passed = 10 * minute
    expect(quiet.alarms).toEqual([
      {
        code: 'NOTHING_ARRIVING',
        validation: 'a',
        route: '/p',
        since: '2026-11-21T08:00:00.000Z',
        message: expect.stringContaining('no exchange on POST /p since the mirror started'),
      },
      expect.objectContaining({ validation: 'b', message: expect.stringContaining('GET, POST /q') }),
    ])
    expect(quiet.arriving[0]).toEqual({ validation: 'a', isQuiet: true, lastSeenAt: undefined })
  })

  test('is quiet again after the last exchange, per validation, and each change is logged', () => {
    const { time, lines, ledger, quiet, quietOnes } = setUp()
    time.passed = 10 * minute
    quiet.look()
    quiet.look()
    expect(lines.map(({ level, validation }) => [level, validation])).toEqual([
      [40, 'a'],
      [40, 'b'],
    ])
    ledger.see('a', start, 10)
    quiet.look()
    expect(quietOnes()).toEqual(['b'])
    expect(quiet.arriving[0]).toEqual({ validation: 'a', isQuiet: false, lastSeenAt: start + 10 * minute })
    expect(lines.slice(2)).toEqual([{ level: 30, validation: 'a', route: '/p', msg: 'exchanges arrive again' }])
    time.passed = 20 * minute - 1
    expect(quietOnes()).toEqual(['b'])
    time.passed = 20 * minute
    expect(quietOnes()).toEqual(['a', 'b'])
    expect(quiet.alarms[0]).toMatchObject({
      since: '2026-11-21T08:10:00.000Z',
      message: expect.not.stringContaining('started'),
    })
    expect(lines.length).toBe(4)
  })

  test('keeps its quiet time through a reload that leaves it unchanged', () => {
    const { time, ledger, routes, quiet, quietBehind } = setUp()
    time.passed = 3 * minute
    ledger.see('a', start, 1)
    time.passed = 8 * minute
    const [p, q] = routes
    const reloaded = quietBehind(quiet, [p!, { ...q!, path: '/moved' }])
    expect(reloaded.arriving[0]).toMatchObject({ lastSeenAt: start + 8 * minute })
    time.passed = 17 * minute
    expect(reloaded.alarms).toEqual([])
    time.passed = 18 * minute
    expect(reloaded.alarms.map(({ route }) => route)).toEqual(['/p', '/moved'])
    const again = quietBehind(reloaded)
    expect(again.alarms.map(({ route }) => route)).toEqual(['/p'])
  })

  test('keeps its quiet time from the previous process', () => {
    const { time, ledger, quiet, quietBehind, quietOnes } = setUp()
    time.passed = 8 * minute
    ledger.see('b', start, 1)
    const inAnotherProcess = setUp()
    const [a, b] = quiet.state
    expect(a).toMatchObject({ validation: 'a', quietForMs: 8 * minute, lastSeenAt: undefined })
    expect(b).toMatchObject({ validation: 'b', quietForMs: 0, lastSeenAt: start + 8 * minute })
    const successor = inAnotherProcess.quietBehind(quiet)
    inAnotherProcess.time.passed = 2 * minute
    expect(successor.alarms.map(({ validation }) => validation)).toEqual(['a'])
    inAnotherProcess.time.passed = 10 * minute
    expect(successor.alarms.map(({ validation }) => validation)).toEqual(['a', 'b'])
    expect(quietBehind(quiet).alarms).toEqual([])
    expect(quietOnes()).toEqual([])
  })

  test('stays quiet whatever is found on disk', () => {
    const { time, ledger, quietOnes } = setUp()
    time.passed = 10 * minute
    ledger.resume('a', 3)
    expect(quietOnes()).toEqual(['a', 'b'])
  })

  test('does not become quiet because the wall clock was set forward', () => {
    const { time, quietOnes } = setUp()
    time.wallStep = 60 * minute
    expect(quietOnes()).toEqual([])
  })
})

test('a running mirror stays ready, and shows quiet routes on its admin port', async () => {
  const primary = await fakeUpstream(answering('{}'))
  const mirror = await mirrorUnderTest({
    primary: primary.url,
    quietAfter: '2s',
    routes: [
      { path: '/p', candidates: [{ validation: 'a', url: primary.url }] },
      { path: '/forwarded-only', candidates: [] },
    ],
  })
  const readiness = async () => {
    const { status, text } = await mirror.admin('/readyz')
    expect(status).toBe(200)
    return JSON.parse(text) as { status: string; alarms: unknown[] }
  }
  const metrics = async () => (await mirror.admin('/metrics')).text
  expect(await readiness()).toEqual({ status: 'ready', alarms: [] })
  expect(await metrics()).not.toMatch(/^understudy_mirror_last_seen_timestamp_seconds{/m)

  // requests outside the mirrored routes do not end the quiet
  await send(`${mirror.url}/other`, { body: '{}' })
  await send(`${mirror.url}/forwarded-only`, { body: '{}' })
  const { alarms } = await waitFor('the alarm', async () => {
    const answer = await readiness()
    return answer.alarms.length > 0 ? answer : undefined
  })
  expect(alarms).toMatchObject([{ code: 'NOTHING_ARRIVING', validation: 'a', route: '/p' }])
  expect(await metrics()).toMatch(/^understudy_mirror_quiet{validation="a"} 1$/m)

  const before = Date.now() / 1000
  await send(`${mirror.url}/p`, { body: '{}' })
  await waitFor('the alarm to end', async () => (await readiness()).alarms.length === 0)
  const text = await metrics()
  expect(text).toMatch(/^understudy_mirror_quiet{validation="a"} 0$/m)
  const lastSeen = /^understudy_mirror_last_seen_timestamp_seconds{validation="a"} ([\d.]+)$/m.exec(text)![1]
  expect(Number(lastSeen)).toBeGreaterThanOrEqual(before)
})
