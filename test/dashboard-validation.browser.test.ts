import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../runtime/testing/free-ports.ts'
import { launchBrowser } from './support/browser.ts'
import {
  classification,
  observation,
  regression,
  scores,
  startTestComparator,
  type TestComparator,
  tokens,
} from './support/comparator.ts'
import { pageFindings } from './support/page-findings.ts'

let comparator: TestComparator
let browser: Browser
const problems: string[] = []
let began: number

/** 70 seconds, ten a second; every `wrongEvery`-th answer differs, every `lateEvery`-th times out. */
function evidence(validation: string, wrongEvery: number, count = 700) {
  return Array.from({ length: count }, (_, i) =>
    observation({
      validation,
      at: began + i * 100,
      correlationId: `${validation}-${i}`,
      primary: scores(i % 3),
      candidate:
        i % 50 === 7 ? { kind: 'timedOut', totalMs: 1000 } : scores(i % wrongEvery === 0 ? (i + 1) % 3 : i % 3),
      primaryMs: 20 + (i % 17),
      candidateMs: 8 + (i % 23),
    }),
  )
}

beforeAll(async () => {
  began = Date.now() - 71_000
  // a comparator that comes back must come back there
  const more = { listen: `127.0.0.1:${await freePorts(1)}` }
  const validations = [
    {
      ...classification,
      name: 'steady',
      gate: [
        { metric: 'agreement', min: 0.8 },
        { metric: 'scoreMae', max: 0.5 },
        { metric: 'latency.candidate.p95', relativeTo: 'primary', maxRatio: 2, reportOnly: true },
        { metric: 'errorRate.delta', max: 0.2 },
      ],
    },
    {
      ...classification,
      name: 'apart',
      gate: [
        { metric: 'errorRate.delta', max: 0.2 },
        { metric: 'agreement', min: 0.9 },
      ],
    },
    {
      ...classification,
      name: 'early',
      window: { duration: '60s', samplesMin: 10_000, coverageMin: 0.9, ageMax: '1h' },
    },
    { ...regression, name: 'waiting' },
  ]
  comparator = await startTestComparator(validations, { more })
  await comparator.post(evidence('steady', 100))
  await comparator.post(evidence('apart', 3))
  await comparator.post(evidence('early', 40, 400))
  const minute = `${new Date(began + 60_000).toISOString().slice(0, 16)}:00.000Z`
  const skipped = { notSampled: 40, shed: 20, tooLarge: 5 }
  const report = { reporter: 'm', validation: 'steady', minute, sizeClass: 'le1KiB', seen: 765, skipped }
  await comparator.call('POST', '/v1/coverage', { body: { reports: [report] } })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await comparator?.close()
})

/** The first sign-in's session, shared by the other tests. */
let session: Awaited<ReturnType<BrowserContext['storageState']>> | undefined

async function open(path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  const shape = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' as const, ...options }
  const context = await browser.newContext({ ...shape, ...(session && { storageState: session }) })
  const page = await context.newPage()
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text()) && message.type() === 'error') problems.push(message.text())
  })
  await page.goto(`${comparator.url}/${path}`)
  if (session === undefined) {
    await page.getByLabel('Access token').fill(tokens.viewer)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await page.getByRole('heading', { level: 2, name: 'Policy, versions and windows' }).waitFor()
  session ??= await context.storageState()
  await expect.poll(() => page.locator('.loading').count()).toBe(0)
  return page
}

const viewer = { token: tokens.viewer }
const gateOf = async (name: string) => (await comparator.call('GET', `/v1/validations/${name}/gate`, viewer)).body

test('the verdict and its sentence are those of the stored evaluation, and its checks are listed worst first', async () => {
  const page = await open('#/validations/apart')
  const gate = await gateOf('apart')
  expect(gate.verdict).toBe('fail')
  await page.getByTestId('verdict').getByText('Fail').waitFor()
  const sentence = await page.getByTestId('reason').innerText()
  expect(sentence).toMatch(/^Agreement on the top label is 0\.\d+ to 0\.\d+, wholly outside the limit \(≥\s0\.9\)\.$/)

  const shown = await page.locator('tr.check').evaluateAll((rows: any[]) => rows.map((row) => row.dataset.testid))
  expect(shown.sort()).toEqual(gate.checks.map((check: any) => `check-${check.metric}`).sort())
  const heads = await page.locator('.check-group-head').allInnerTexts()
  expect(heads.map((text) => text.split(/\s/)[0])).toEqual(['Failed', 'Passed'])
  await expect.poll(() => page.getByTestId('check-agreement').getByText('decides').count()).toBe(1)

  // both sides from the same evaluation; the arithmetic on demand
  const errors = gate.checks.find((check: any) => check.metric === 'errorRate.delta')
  expect(errors.sides).toMatchObject({ primary: 0 })
  expect(errors.sides.candidate).toBeCloseTo(0.02)
  const arithmetic = page.getByText(errors.text)
  expect(await arithmetic.isVisible()).toBe(false)
  await page.getByText('Arithmetic of errorRate.delta').click()
  expect(await arithmetic.isVisible()).toBe(true)
  await page.close()
})

test('the arithmetic of every check is in the same place, whatever is said before it, open or not', async () => {
  const page = await open('#/validations/early')
  const ends = () =>
    page
      .locator('.arithmetic summary')
      .evaluateAll((each) => [...new Set(each.map((one) => Math.round(one.getBoundingClientRect().right)))])
  await page
    .getByText(/^No forecast: /)
    .first()
    .waitFor()
  expect(await ends()).toHaveLength(1)
  await page.locator('.arithmetic summary').first().click()
  expect(await ends()).toHaveLength(1)
  await page.close()
})

test('below the minimum n a check has neither estimate nor colour', async () => {
  const page = await open('#/validations/early')
  const row = page.getByTestId('check-agreement')
  await row.getByText('have 400, need 10,000').waitFor()
  expect(await row.locator('svg.interval').count()).toBe(0)
  expect(await row.getByText('Waiting', { exact: true }).count()).toBe(1)
  expect(await row.innerText()).not.toMatch(/0\.9\d/)
  expect(await page.getByTestId('check-samples').locator('.cell-estimate').innerText()).toBe('400')
  await page.getByText('1 min, 10,000 samples, 90 % coverage, the newest exchange at most 1 h old').waitFor()
  await page.close()
})

test('the funnel counts what the coverage check counts, each loss with its reason', async () => {
  const page = await open('#/validations/steady')
  const { body } = await comparator.call('GET', '/v1/validations/steady/funnel', viewer)
  const { checks } = await gateOf('steady')
  expect(body.coverage).toBe(checks.find((check: any) => check.metric === 'coverage').estimate)
  expect(body.seen).toBe(body.compared + 65)
  const rows = await page.locator('.funnel tbody tr').allInnerTexts()
  const cells = rows.map((text) => text.split('\t').map((cell) => cell.trim()))
  expect(cells.map(([name]) => name)).toEqual([
    'Seen by the mirror',
    'not sampled',
    'Sampled',
    'shed by a limit or an open breaker of the mirror',
    'candidate: timed out',
    'body over the capture limit',
    'Answered by both',
    'Compared',
  ])
  const number = (text: string | undefined) => Number(text!.replaceAll(',', '').replace('−', '-'))
  expect(number(cells[0]!.at(-2))).toBe(body.seen)
  expect(number(cells[1]!.at(-2))).toBe(-40)
  expect(number(cells.at(-1)!.at(-2))).toBe(body.compared - body.failed.timedOut)
  await page.getByRole('row', { name: /up to 1\sKiB 40 20 5/ }).waitFor()
  await page.close()
})

test('a coverage just short of what is needed never reads as that, and shares in a column have as many decimals', async () => {
  const page = await open('#/validations/steady')
  const answerWith = (part: string, change: (body: any) => void) =>
    page.route(`**/v1/validations/steady/${part}`, async (route) => {
      const response = await route.fetch()
      const body = await response.json()
      change(body)
      await route.fulfill({ response, json: body })
    })
  await answerWith('gate', ({ window }) => Object.assign(window, { coverage: 0.89996, coverageMin: 0.9 }))
  await answerWith('funnel', ({ bySizeClass: [first] }) =>
    Object.assign(first, { compared: 89_996, skipped: 10_004, coverageMin: 0.9 }),
  )
  await page.reload()
  await page.locator('.meter', { hasText: 'Coverage' }).getByText('89.996\u00a0% / 90\u00a0%').waitFor()
  await page.getByRole('row', { name: /89\.996\s%\s+short of 90\s%$/ }).waitFor()
  const shares = await page.locator('.funnel tbody td:last-child').allInnerTexts()
  expect(shares).toHaveLength(8)
  for (const share of shares) expect(share).toMatch(/^\d+\.\d\d\s%$/)
  await page.context().close()
})

test('a span dragged on one chart is the range of all, is in the address, and can be undone by going back', async () => {
  const page = await open('#/validations/steady')
  const chart = page.locator('.plot-brushable').first()
  await chart.scrollIntoViewIfNeeded()
  await chart.locator('svg').waitFor()
  const box = (await chart.boundingBox())!
  const asked = page.waitForRequest((request) => /metrics\?from=.*&to=/.test(request.url()))
  await page.mouse.move(box.x + box.width * 0.4, box.y + 80)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.6, box.y + 80, { steps: 4 })
  await page.locator('.brush').waitFor()
  await page.mouse.up()
  await asked
  const search = new URLSearchParams(new URL(page.url()).hash.split('?')[1])
  const spanMs = Date.parse(search.get('to')!) - Date.parse(search.get('from')!)
  expect(spanMs).toBeGreaterThan(5_000)
  expect(spanMs).toBeLessThan(30_000)
  const picker = page.locator('.range-picker select')
  await expect.poll(() => picker.inputValue()).toBe('between')
  await expect.poll(() => page.locator('.evidence-page').getAttribute('aria-busy')).toBe('false')
  // every chart over time begins where the figures now begin
  const { body } = await comparator.call('GET', `/v1/validations/steady/metrics?${search}`, viewer)
  const first = `${body.series[0].at.slice(11, 19)}\u00a0UTC`
  const summaries = page.locator('.plot-brushable + .figure-foot summary')
  for (let i = 0; i < 3; i++) {
    await summaries.nth(i).click()
    const figure = page.locator('figure', { has: page.locator('.plot-brushable') }).nth(i)
    await expect.poll(() => figure.locator('tbody th').first().innerText()).toContain(first)
  }

  // the keyboard can do the same: typing a bound moves the range
  const from = page.getByLabel('From', { exact: true })
  await from.fill(new Date(began + 10_000).toISOString().slice(0, 19))
  await from.press('Enter')
  await expect.poll(() => page.url()).toContain(new Date(began + 10_000).toISOString().slice(0, 19))
  // a bound that would leave an empty span is reset rather than shown as if it applied
  await from.fill(new Date(began + 600_000).toISOString().slice(0, 19))
  await from.press('Enter')
  await expect.poll(() => from.inputValue()).toBe(new Date(began + 10_000).toISOString().slice(0, 19))
  await page.goBack()
  // typed text that was never applied is discarded with its field
  await from.fill(new Date(began + 15_000).toISOString().slice(0, 19))
  await page.goBack()
  await expect.poll(() => picker.inputValue()).toBe('window')
  expect(page.url()).toMatch(/#\/validations\/steady$/)
  await page.close()
})

test('a metric is drawn large by clicking its small chart, and its address leads back to it', async () => {
  const page = await open('#/validations/steady')
  await page.getByRole('button', { name: 'Mean score difference', exact: true }).click()
  await expect.poll(() => page.url()).toContain('metric=scoreMae')
  await expect.poll(() => page.getByLabel('Metric').first().inputValue()).toBe('scoreMae')
  await page.reload()
  await expect.poll(() => page.getByLabel('Metric').first().inputValue()).toBe('scoreMae')
  await page.close()
})

test('every chart over time can be saved as figures, drawing and picture, under the strict policy', async () => {
  const page = await open('#/validations/steady?metric=agreement')
  const figure = page.locator('figure', { hasText: 'Agreement on the top label' }).first()
  const download = async (kind: string) => {
    const waiting = page.waitForEvent('download')
    await figure.getByRole('button', { name: new RegExp(`^${kind}`) }).click()
    const file = await waiting
    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) }
  }
  const csv = await download('CSV')
  expect(csv.name).toBe('steady-agreement-on-the-top-label.csv')
  const [head, first] = csv.bytes.toString('utf8').replace('\ufeff', '').split('\r\n')
  expect(head).toBe('"Time, UTC",Estimate,Lower,Upper,Samples')
  const { body } = await comparator.call('GET', '/v1/validations/steady/metrics', viewer)
  expect(first!.split(',')[0]).toBe(body.series[0].at)
  expect(Number(first!.split(',')[1])).toBe(body.series[0].agreement)

  const svg = (await download('SVG')).bytes.toString('utf8')
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/)
  expect(svg).toContain('Agreement on the top label')
  expect(svg).not.toMatch(/ class=| style=|<style|var\(|currentColor/)
  const png = (await download('PNG')).bytes
  expect(png.subarray(1, 4).toString()).toBe('PNG')
  expect(png.readUInt32BE(16)).toBeGreaterThan(1000)
  await page.close()
})

test('a rollout step and a new version are marked at their times', async () => {
  const page = await open('#/validations/early')
  const { body } = await comparator.call('GET', '/v1/validations/early/timeline', viewer)
  expect(body.events).toEqual([])
  expect(await page.locator('.mark-marker').count()).toBe(0)
  await comparator.post(
    evidence('early', 40, 50).map((one) => ({ ...one, candidate: { ...one.candidate, version: '2' } })),
  )
  await page.reload()
  await page.getByRole('heading', { name: 'Drift over time' }).scrollIntoViewIfNeeded()
  await page.locator('.mark-marker-version').first().waitFor({ state: 'attached' })
  await page.getByRole('cell', { name: /the candidate is now version 2 \(was 1\)/ }).waitFor()
  await page.getByRole('button', { name: 'Judge it' }).last().press('Enter')
  await page.locator('.judged-window .verdict').waitFor()
  // the button is gone: the keyboard goes on at the verdict
  expect(await page.evaluate('document.activeElement.innerText')).toMatch(/^\W*(Pass|Inconclusive|Fail)/)
  // of a window that is over nothing is foretold
  const past = page.locator('.windows tbody tr').filter({ hasNot: page.locator('.tag') })
  await past.getByRole('button', { name: 'Judge it' }).press('Enter')
  await past.getByText(/ so far; the window is over\.$/).waitFor()
  await page.close()
})

test('while the comparator is unreachable the page says so and shows no verdict to rely on, and recovers by itself', async () => {
  const page = await open('#/validations/steady')
  const picker = page.locator('.range-picker select')
  await picker.focus()
  await comparator.stop()
  await page.getByText('This page is not being updated.').first().waitFor()
  await page.getByText(/as of \d\d:\d\d:\d\d\sUTC, not being updated/).waitFor()
  expect(await page.locator('.banner-stale').count()).toBe(1)
  expect(await picker.evaluate((element: any) => element === element.ownerDocument.activeElement)).toBe(true)
  await comparator.restart()
  await page.locator('.banner-stale').waitFor({ state: 'detached' })
  await expect.poll(() => page.getByText('This page is not being updated.').count()).toBe(0)
  await page.close()
})

test('a verdict that changes is announced', async () => {
  const page = await open('#/validations/waiting')
  const status = page.getByTestId('verdict')
  await status.getByText('Inconclusive').waitFor()
  expect(await status.getAttribute('role')).toBe('status')
  await comparator.post(
    Array.from({ length: 700 }, (_, i) =>
      observation({
        validation: 'waiting',
        at: began + i * 100,
        primary: { prediction: i % 10 },
        candidate: { prediction: (i % 10) + 5 },
      }),
    ),
  )
  await status.getByText('Fail').waitFor()
  await page.close()
})

test.each(['light', 'dark'] as const)('axe finds nothing in the %s theme, from 320 px to 4K', async (colorScheme) => {
  // the layout changes at the narrowest width, and follows the window elsewhere
  const page = await open('#/validations/steady', { colorScheme, viewport: { width: 320, height: 900 } })
  for (const width of [320, 1440, 3840]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await pageFindings(page, { colorScheme }), `${width} px`).toEqual([])
  }
  await page.close()
})

test('on paper every check has its arithmetic in dark ink on white, and bars are drawn', async () => {
  const page = await open('#/validations/apart', { colorScheme: 'dark' })
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  const { checks } = await gateOf('apart')
  expect(await page.getByText(checks[0].text).isVisible()).toBe(true)
  expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(17, 17, 17)')
  for (const bar of ['.funnel-bar', '.meter-fill']) {
    const drawn = page
      .locator(bar)
      .first()
      .evaluate((element: any) => (globalThis as any).getComputedStyle(element).printColorAdjust)
    expect(await drawn, bar).toBe('exact')
  }
  await page.close()
})

test('the pages threw nothing, and nothing violated the policy', () => {
  expect(problems).toEqual([])
})
