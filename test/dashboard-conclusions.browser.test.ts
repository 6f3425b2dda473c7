import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MirrorReport } from '../vocabulary/mirrors.ts'
import { launchBrowser } from './support/browser.ts'
import { classification, observation, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'
import { mirrorReport } from './support/mirror-report.ts'
import { pageFindings } from './support/page-findings.ts'
import { evidence, promoting } from './support/promotions.ts'

const minuteMs = 60_000
/** The comparator's clock moves only when a test sets it, so that no mirror falls silent on a slow machine. */
const ahead = { ms: 0 }
const began = Date.now()
const clock = { now: () => began + ahead.ms, monotonic: () => performance.now() }

let comparator: TestComparator
let browser: Browser
let context: BrowserContext
const pageErrors: string[] = []
const { promote } = promoting(() => comparator)

beforeAll(async () => {
  const validations = [
    { ...classification, name: 'live', rollout: { steps: [10, 100], stepDuration: '1d' } },
    { ...classification, name: 'read', noiseFloor: 'itself' },
    { ...classification, name: 'itself', gate: [{ metric: 'agreement', min: 0.9, reportOnly: true }] },
    {
      ...classification,
      name: 'few',
      quietAfter: '1m',
      window: { duration: '60s', samplesMin: 5000, coverageMin: 0.9 },
      gate: [{ metric: 'agreement', min: 0.9 }],
    },
    { ...classification, name: 'errors' },
    { ...classification, name: 'lossy' },
    { ...classification, name: 'undelivered' },
  ]
  comparator = await startTestComparator(validations, { clock })
  for (const name of ['live', 'read', 'itself']) await comparator.post(evidence(name))
  await comparator.post(evidence('few', { seconds: 20 }))
  expect((await promote('live')).status).toBe(201)
  await comparator.post(evidence('live', { seconds: 2, live: 'candidate', until: Date.now() + 2000 }))
  browser = await launchBrowser()
  context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  await context.request.post(`${comparator.url}/v1/session`, { data: { token: tokens.approver } })
})
afterAll(async () => {
  await browser?.close()
  await comparator?.close()
})

async function opened(path: string): Promise<Page> {
  const page = await context.newPage()
  page.on('pageerror', (error) => pageErrors.push(error.message))
  await page.goto(`${comparator.url}/${path}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  return page
}

const tell = (mirror: MirrorReport) => comparator.call('POST', '/v1/coverage', { body: { reports: [], mirror } })

test('below the minimum n nothing passes: one group waits, and the sentence says why there is no forecast', async () => {
  const page = await opened('#/validations/few')
  await page
    .getByTestId('reason')
    .getByText(/^200 of 5,000 samples so far; at the present rate this takes [\d.]+ times the window\.$/)
    .waitFor()
  const awaited = page.locator('.check-group-awaited')
  await awaited.getByText('Awaiting evidence 2').waitFor()
  expect(await awaited.getByText('Waiting', { exact: true }).count()).toBe(2)
  expect(await awaited.getByText('have 200, need 5,000').count()).toBe(2)
  expect(await awaited.locator('[data-verdict]').count()).toBe(0)
  const samples = page.locator('tr:has([data-testid=check-samples]), [data-testid=check-samples] + tr')
  await samples.getByText(/^No forecast: at the present rate this takes/).waitFor()
  await page.close()
})

test('the primary against itself is called a noise floor, without a pending verdict', async () => {
  const page = await opened('#/')
  const row = page.getByTestId('validation-itself')
  await row.getByText('Noise floor', { exact: true }).waitFor()
  await row.getByText('The primary against itself: the noise floor for read. It has no verdict of its own.').waitFor()
  await page.getByRole('heading', { name: /^Noise floors 1$/ }).waitFor()
  expect(await row.getByText('Inconclusive').count()).toBe(0)
  await page.goto(`${comparator.url}/#/validations/itself`)
  await page.getByTestId('verdict').getByText('Noise floor').waitFor()
  await page.close()
})

test('an overdue step is shown as due, on the overview and in the strip above it', async () => {
  const page = await context.newPage()
  const date = new Date(began + 2 * 24 * 60 * minuteMs).toUTCString()
  await page.route('**/v1/**', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, headers: { ...response.headers(), date } })
  })
  await page.goto(`${comparator.url}/#/`)
  await page.getByTestId('live-strip').getByText('the next step is due').waitFor()
  const row = page.getByTestId('validation-live')
  await row.getByText('10 % live').waitFor()
  expect(await row.innerText()).toContain('10\u00a0% live, next step due')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.close()
})

test('the live gate says what it has seen, in the metrics’ terms, and seeing no harm is not a pass', async () => {
  const page = await opened('#/validations/live')
  const gate = page.getByRole('region', { name: 'Live gate' })
  await gate.getByText('No harm seen').waitFor()
  await gate.getByText('Error rate, candidate − primary', { exact: true }).waitFor()
  await gate
    .getByText(/^0\s% over \d+ answers; limit ≤\s5\s%$/)
    .first()
    .waitFor()
  expect(await gate.innerText()).not.toMatch(/errorRate|→|Pass/)
  await page.getByTestId('live-strip').getByText('No harm seen').waitFor()
  await page.close()
})

test('on a narrow page live traffic takes one line until opened, and the verdict comes first', async () => {
  const page = await opened('#/validations/live')
  await page.setViewportSize({ width: 390, height: 844 })
  const verdict = (await page.getByTestId('reason').boundingBox())!
  expect(verdict.y + verdict.height).toBeLessThan(500)
  const roll = page.getByTestId('live-strip').getByRole('button', { name: 'Roll back live' })
  expect(await roll.isVisible()).toBe(false)
  await page.getByRole('button', { name: '1 live on a candidate' }).click()
  await roll.waitFor()
  expect(await pageFindings(page)).toEqual([])
  await page.close()
})

test('alarms of mirrors need a person: on the overview, and next to Mirrors on every page', async () => {
  const candidate = { validation: 'read', route: '/read', url: 'http://127.0.0.1:1', version: null, digest: null }
  const open = { ...candidate, breaker: 'open', inFlight: 0, queued: 0, lastAnswerAt: null } as const
  const since = new Date(clock.now()).toISOString()
  const fails = { code: 'BREAKER_OPEN', validation: 'read', since, message: 'it refuses' }
  await tell(mirrorReport({ candidates: [open], alarms: [fails], lagMs: 194_000 }))
  const page = await opened('#/')
  const mirrors = page.getByTestId('mirrors-line')
  await mirrors.getByText('1 reporting').waitFor()
  await mirrors.getByText('0 of 1 answering').waitFor()
  await mirrors.getByText('behind for 3 min 14 s').waitFor()
  const needs = page.getByRole('region', { name: /^Needs attention/ })
  await needs.getByTestId('alarm-BREAKER_OPEN').getByText('it refuses').waitFor()
  await page.getByText(/1 mirror alarm/).waitFor()
  expect(await pageFindings(page)).toEqual([])
  await page.goto(`${comparator.url}/#/validations/live`)
  await page.getByRole('link', { name: 'Mirrors 1 alarm' }).waitFor()
  await page.close()
})

test('a silent mirror’s last report is not shown as current, and there is no forecast while nothing arrives', async () => {
  await tell(mirrorReport({ lagMs: 194_000, spooledBytes: 5000 }))
  const page = await opened('#/mirrors')
  const panel = page.getByTestId('mirror-eu-1')
  await panel.getByText('behind for 3 min 14 s').waitFor()
  expect(await panel.locator('.fact-warns').count()).toBe(2)
  const fromLastReport = panel.getByText('What follows is from its last report.', { exact: true })
  expect(await fromLastReport.count()).toBe(0)

  ahead.ms = 5 * minuteMs
  await panel.getByText('Silent', { exact: true }).waitFor()
  expect(await fromLastReport.count()).toBe(1)
  expect(await panel.locator('.fact-warns').count()).toBe(0)

  await page.goto(`${comparator.url}/#/`)
  await page.getByTestId('mirrors-line').getByText('0 reporting, 1 silent').waitFor()
  await page.getByTestId('alarm-MIRROR_SILENT').waitFor()
  const few = page.getByTestId('validation-few')
  await few.getByText('200 of 5,000 samples so far; nothing is arriving.').waitFor()
  await few.getByRole('link', { name: 'few' }).click()
  await page.getByTestId('reason').getByText('200 of 5,000 samples so far; nothing is arriving.').waitFor()
  await page.getByText('No forecast: nothing is arriving.').first().waitFor()
  expect(await page.getByText(/(Decided|Full) in about|about .* to go|at the present rate this takes/).count()).toBe(0)
  await page.close()
})

test('where all that arrives is refused, the forecast gives way to when the last exchange was compared', async () => {
  ahead.ms = 10 * minuteMs
  const minute = new Date(clock.now() - (clock.now() % minuteMs)).toISOString()
  const seen = { reporter: 'eu-1', validation: 'few', minute, sizeClass: 'le1KiB', seen: 40, skipped: { rejected: 40 } }
  await comparator.call('POST', '/v1/coverage', { body: { reports: [seen] } })
  const page = await opened('#/')
  const row = page.getByTestId('validation-few')
  await row
    .getByText(/^200 of 5,000 samples so far; nothing since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\sUTC has been compared\.$/)
    .waitFor()
  await row.getByText('stalled').waitFor()
  await row.getByRole('link', { name: 'few' }).click()
  await page
    .getByText(/^No forecast: nothing since .*\sUTC has been compared\.$/)
    .first()
    .waitFor()
  expect(await page.getByText(/(Decided|Full) in about|about .* to go|at the present rate this takes/).count()).toBe(0)
  await page.close()
})

test('where every answer of the primary is an error, a person is told that nothing can be compared, and why', async () => {
  for (const minutes of [11, 18]) {
    ahead.ms = minutes * minuteMs
    const one = () => observation({ validation: 'errors', at: clock.now(), primary: {}, candidate: {} })
    const failing = Array.from({ length: 20 }, one).map((sent) => ({
      ...sent,
      primary: { ...sent.primary, status: 500 },
    }))
    expect(await comparator.post(failing)).toMatchObject({ accepted: 20 })
  }
  const page = await opened('#/')
  await page.getByText(/1 comparing nothing/).waitFor()
  const alarm = page.getByTestId('not-compared-errors')
  await alarm.getByText(/^Nothing can be compared: of 20 exchanges, 20 have no usable answer of the primary/).waitFor()
  await page.locator('.group', { hasText: 'Needs attention' }).getByTestId('validation-errors').waitFor()
  await page.getByRole('link', { name: 'errors', exact: true }).click()
  await page.getByRole('heading', { name: 'errors', level: 1 }).waitFor()
  await alarm.getByText('(answered with an error: 20)').waitFor()
  expect(await pageFindings(page, { within: ['[data-testid=not-compared-errors]'] })).toEqual([])
  await alarm.getByRole('link', { name: 'See what it answered' }).click()
  await page.waitForURL(/observations\?comparison=skipped/)
  await page.getByText('40 shown').waitFor()
  await page.close()
})

test('where most exchanges are lost on the way, their sum and each reason is said, without those left out by choice', async () => {
  for (const minutes of [20, 27]) {
    ahead.ms = minutes * minuteMs
    const sent = observation({ validation: 'lossy', at: clock.now(), primary: {}, candidate: {} })
    await comparator.post([{ ...sent, primary: { ...sent.primary, status: 500 } }])
    const minute = new Date(clock.now() - (clock.now() % minuteMs)).toISOString()
    const skipped = { shed: 6, tooLarge: 5, notSampled: 300 }
    const report = { reporter: 'eu-1', validation: 'lossy', minute, sizeClass: 'le1KiB', seen: 312, skipped }
    expect((await comparator.call('POST', '/v1/coverage', { body: { reports: [report] } })).status).toBe(202)
  }
  const page = await opened('#/validations/lossy')
  const alarm = page.getByTestId('not-compared-lossy')
  await alarm
    .getByText(
      'of 12 exchanges, 11 were lost on the way (shed by a limit or an open breaker of the mirror: 6, body over the capture limit: 5).',
    )
    .waitFor()
  await alarm.getByRole('link', { name: 'Mirrors' }).click()
  await page.getByRole('heading', { name: 'Mirrors and candidate servers' }).waitFor()
  await page.close()
})

test('where a mirror counts exchanges but delivers none, the page does not ask for clients to be pointed at it', async () => {
  const minute = new Date(clock.now() - (clock.now() % minuteMs)).toISOString()
  const report = { reporter: 'eu-1', validation: 'undelivered', minute, sizeClass: 'le1KiB' }
  await comparator.call('POST', '/v1/coverage', {
    body: { reports: [{ ...report, seen: 40, skipped: { rejected: 40 } }] },
  })
  const page = await opened('#/validations/undelivered')
  await page.getByText(/^Exchanges arrive at a mirror, but none has been delivered/).waitFor()
  expect(await page.getByText(/Point clients at the mirror/).count()).toBe(0)
  await page.close()
})

test('while the comparator is unreachable, the page does not claim that the live gate sees no harm', async () => {
  const page = await opened('#/audit')
  const strip = page.getByTestId('live-strip')
  await strip.getByText('live', { exact: true }).waitFor()
  await comparator.stop()
  await strip.getByText(/^not known since \d\d:\d\d:\d\d\sUTC$/).waitFor()
  expect(await strip.locator('[data-live-verdict]').count()).toBe(0)
  expect(await strip.getByRole('button', { name: 'Roll back live' }).count()).toBe(1)
  await page.close()
})

test('the pages threw nothing', () => {
  expect(pageErrors).toEqual([])
})
