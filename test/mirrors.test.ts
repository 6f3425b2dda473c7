import { afterAll, beforeAll, expect, test } from 'vitest'
import { mirrorSilentMs } from '../vocabulary/report-pace.ts'
import { classification, regression, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'
import { mirrorReport } from './support/mirror-report.ts'
import { evidence } from './support/promotions.ts'

let time = Date.now()
const clock = { now: () => time, monotonic: () => time }
let comparator: TestComparator

beforeAll(async () => {
  const validations = [
    { ...classification, name: 'known' },
    { ...regression, name: 'empty' },
  ]
  comparator = await startTestComparator(validations, { clock })
})
afterAll(() => comparator?.close())

const tell = (mirror: unknown, reports: unknown[] = []) =>
  comparator.call('POST', '/v1/coverage', { body: { reports, mirror } })
const mirrors = async () => (await comparator.call('GET', '/v1/mirrors', { token: tokens.viewer })).body

test('mirrors are listed as they last reported; silence is an alarm, a stop is not', async () => {
  expect((await mirrors()).mirrors).toEqual([])
  await tell(mirrorReport({ pending: 1 }))
  await tell(mirrorReport({ pending: 7 }))
  // told to another comparator on the database, whose clock is behind
  time -= 1
  await tell(mirrorReport({ pending: 2 }))
  time += 1
  await tell(mirrorReport({ name: 'eu-2' }))
  expect((await mirrors()).mirrors).toMatchObject([
    { name: 'eu-1', state: 'reporting', pending: 7, alarms: [] },
    { name: 'eu-2', state: 'reporting' },
  ])
  await tell(mirrorReport({ name: 'eu-2', isStopping: true }))
  time += mirrorSilentMs + 1
  expect((await mirrors()).mirrors).toMatchObject([
    { name: 'eu-1', state: 'silent', alarms: [{ code: 'MIRROR_SILENT', validation: null }] },
    { name: 'eu-2', state: 'stopped', alarms: [] },
  ])
  time += 3_600_000
  expect((await mirrors()).mirrors.map(({ name }: { name: string }) => name)).toEqual(['eu-1'])
  time += 86_400_000
  expect((await mirrors()).mirrors).toEqual([])
})

test('a mirror for an unconfigured validation is an alarm, and hostile text stays text', async () => {
  const candidate = {
    validation: '<b>\u0000unknown',
    route: '/p',
    url: 'javascript:alert(1)',
    breaker: 'closed' as const,
    inFlight: 0,
    queued: 0,
    lastAnswerAt: null,
    version: null,
    digest: null,
  }
  expect((await tell(mirrorReport({ name: "'; drop table mirror", candidates: [candidate] }))).status).toBe(202)
  const [mirror] = (await mirrors()).mirrors
  expect(mirror).toMatchObject({ name: "'; drop table mirror", candidates: [{ url: 'javascript:alert(1)' }] })
  expect(mirror.alarms).toMatchObject([{ code: 'UNKNOWN_VALIDATION', validation: '<b>\uFFFDunknown' }])
})

test('an invalid mirror report is ignored, and the counts sent with it still count', async () => {
  const minute = `${new Date(time).toISOString().slice(0, 16)}:00.000Z`
  const counts = { reporter: 'r', validation: 'known', minute, sizeClass: 'le1KiB', seen: 2, skipped: { shed: 2 } }
  const before = (await mirrors()).mirrors.length
  for (const wrong of [null, 'me', mirrorReport({ lagMs: -1 }), { ...mirrorReport(), startedAt: 'yesterday' }]) {
    expect(await tell(wrong, [counts])).toMatchObject({ status: 202, body: { accepted: 1 } })
  }
  expect((await mirrors()).mirrors).toHaveLength(before)
})

test('the list contains what the overview draws: the deciding check over time, and the rate', async () => {
  const list = async () => (await comparator.call('GET', '/v1/validations', { token: tokens.viewer })).body.validations
  expect((await list())[1].glance).toEqual({
    samplesPerMinute: null,
    deciding: expect.objectContaining({ metric: 'mae', estimate: null }),
    decides: expect.objectContaining({ metric: 'samples', verdict: 'inconclusive' }),
  })
  await comparator.post(evidence('known', { seconds: 70, wrong: 0.02, until: time }))
  const [{ glance, verdict }] = await list()
  expect(verdict).toBe('pass')
  expect(glance.samplesPerMinute).toBeGreaterThan(500)
  expect(glance.deciding).toMatchObject({ metric: 'agreement', limit: { min: 0.9 }, verdict: 'pass' })
  const { values } = glance.deciding.sparkline
  expect(values.length).toBeGreaterThan(20)
  expect(values.length).toBeLessThanOrEqual(40)
  const known = values.filter((value: number | null) => value !== null)
  // a step may have a single exchange that is wrong
  expect(Math.min(...known)).toBeLessThan(1)
  expect(Math.max(...known)).toBe(1)
  const one = await comparator.call('GET', '/v1/validations/known', { token: tokens.viewer })
  expect(one.body.glance).toEqual(glance)
})

test('everything stored before a list is requested is in it, though judgements are cached', async () => {
  const samples = async () =>
    (await comparator.call('GET', '/v1/validations', { token: tokens.viewer })).body.validations[0].window.samples
  const before = await samples()
  await comparator.post(evidence('known', { seconds: 1, until: time }))
  expect(await samples()).toBe(before + 10)
})
