import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from './support/browser.ts'
import {
  classification,
  observation,
  regression,
  startTestComparator,
  type TestComparator,
  tokens,
} from './support/comparator.ts'
import { createTestDatabase } from './support/database.ts'
import { pageFindings } from './support/page-findings.ts'

const labels = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']
const digits = readFileSync(join(import.meta.dirname, '../deploy/demo/data/digits.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { image: string; label: string })

let comparator: TestComparator
let browser: Browser
const pageErrors: string[] = []

const answer = (label: number) => ({
  predictions: labels.map((_, i) => (i === label ? 0.91 : 0.01)),
  label: labels[label],
})

/** 70 seconds of images, ten a second; every `wrongEvery`-th answer differs. */
function evidence(validation: string, wrongEvery: number) {
  return Array.from({ length: 700 }, (_, i) => {
    const digit = digits[i % digits.length]!
    const label = Number(digit.label)
    return observation({
      validation,
      at: Date.now() - 70_000 + i * 100,
      correlationId: `${validation}-${i}`,
      primary: answer(label),
      candidate: answer(i % wrongEvery === 0 ? (label + 1) % 10 : label),
      primaryMs: 20 + (i % 17),
      candidateMs: 8 + (i % 23),
      request: {
        method: 'POST',
        path: '/predictions/digits',
        headers: { 'content-type': 'image/png' },
        body: digit.image,
        bodyEncoding: 'base64',
        bodyBytes: 130,
      },
    })
  })
}

beforeAll(async () => {
  const output = { kind: 'classification', scores: '/predictions', label: '/label', labels }
  const database = await createTestDatabase()
  const changed = { ...classification, output, name: 'changed' }
  const before = await startTestComparator([changed], { database })
  await before.post(evidence('changed', 100).slice(0, 10))
  await before.stop()
  const validations = [
    { ...classification, output, name: 'good', rollout: { steps: [10, 100], stepDuration: '2s' } },
    { ...classification, output, name: 'bad' },
    { ...regression, name: 'waiting' },
    { ...changed, gate: [{ metric: 'agreement', min: 0.95 }] },
  ]
  comparator = await startTestComparator(validations, { database })
  await comparator.post(evidence('good', 100))
  await comparator.post(evidence('bad', 3))
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await comparator?.close()
})

async function signedIn(
  token: string,
  options: Parameters<Browser['newContext']>[0] = {},
  to: TestComparator = comparator,
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  page.on('pageerror', (error) => pageErrors.push(error.message))
  await page.goto(to.url)
  await page.getByLabel('Access token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Validations' }).waitFor()
  return page
}

test('a wrong token is reported, and nothing is shown until there is a session', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(comparator.url)
  await page.getByLabel('Access token').fill('guess')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('heading', { name: 'Validations' }).count()).toBe(0)
  expect(await page.title()).toBe('Sign in · Understudy')

  // a session that begins in another tab is found on return, without a reload
  const other = await context.newPage()
  await other.goto(comparator.url)
  await other.getByLabel('Access token').fill(tokens.viewer)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await other.getByRole('heading', { name: 'Validations' }).waitFor()
  await page.evaluate(`dispatchEvent(new Event('focus'))`)
  await page.getByRole('heading', { name: 'Validations' }).waitFor()
  await context.close()
})

test('an approver reviews the evidence, approves, sees traffic move, and rolls it back', async () => {
  const page = await signedIn(tokens.approver)
  await page.getByRole('link', { name: 'good', exact: true }).click()
  await page.getByRole('heading', { name: 'good', level: 1 }).waitFor()
  await page.getByText('the whole bound is inside').first().waitFor({ state: 'attached' })

  // everything for a review is there: the arithmetic, the charts, the inputs as images
  expect(await page.getByText(/agreement 0\.99/).count()).toBeGreaterThan(0)
  for (const heading of [
    'The gate’s checks',
    'Drift over time',
    'Latency',
    'From traffic to evidence',
    'Worst disagreements',
  ]) {
    expect(await page.getByRole('heading', { name: heading }).count(), heading).toBeGreaterThan(0)
  }
  await expect.poll(() => page.locator('figure svg').count()).toBeGreaterThanOrEqual(3)
  await page.getByRole('heading', { name: 'Worst disagreements' }).scrollIntoViewIfNeeded()
  const thumbnail = page.locator('img').first()
  await thumbnail.waitFor()
  expect(await thumbnail.evaluate((image: any) => image.naturalWidth)).toBe(8)

  const request = page.getByRole('button', { name: 'Request promotion' })
  await request.click()
  await page.getByText('Say why in a sentence').waitFor() // a promotion without a reason is not sent
  await page.getByLabel('Comment').fill('a week of evidence')
  await request.click()

  await page.getByRole('button', { name: 'Roll back', exact: true }).waitFor()
  await page.getByText('a week of evidence').first().waitFor()
  await page.getByText('Promoted', { exact: true }).first().waitFor()

  await page.getByRole('button', { name: 'Roll back', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Comment').fill('enough for today')
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm rollback' }).click()
  await page.getByText('Rolled back', { exact: true }).first().waitFor()
  const { body } = await comparator.call('GET', '/v1/validations/good', { token: tokens.viewer })
  expect(body).toMatchObject({ state: 'rolledBack', livePercent: 0 })

  await page.getByRole('link', { name: 'Audit' }).click()
  await page.getByText('enough for today').waitFor()
  await page.close()
})

test('what a role or a verdict does not allow is not offered, and the reason is visible', async () => {
  const viewer = await signedIn(tokens.viewer)
  await viewer.goto(`${comparator.url}/#/validations/good`)
  await viewer.getByText('The gate passes. Only an approver can request promotion; your role is viewer.').waitFor()
  expect(await viewer.getByRole('button', { name: 'Request promotion' }).count()).toBe(0)
  await viewer.close()

  const approver = await signedIn(tokens.approver)
  await approver.goto(`${comparator.url}/#/validations/bad`)
  await approver.getByText('promotion needs a pass').waitFor()
  expect(await approver.getByRole('button', { name: 'Request promotion' }).isDisabled()).toBe(true)
  await approver.close()
})

test('a validation without evidence says what it is waiting for', async () => {
  const page = await signedIn(tokens.viewer)
  await page.goto(`${comparator.url}/#/validations/waiting`)
  await page.getByRole('heading', { name: 'waiting', level: 1 }).waitFor()
  await page.getByRole('heading', { name: 'Awaiting the first observation' }).waitFor()
  // and has no sections that would each say the same
  const sections = () => page.getByRole('heading', { level: 2 }).allInnerTexts()
  expect(await sections()).toEqual([
    'Promotion',
    'Awaiting the first observation',
    'The gate’s checks',
    'Policy, versions and windows',
  ])
  await page.goto(`${comparator.url}/#/validations/changed`)
  await page.getByRole('heading', { name: 'The policy changed, so a new window begins' }).waitFor()
  expect(await sections()).toContain('Evidence')
  expect(await page.getByText('Awaiting the first observation').count()).toBe(0)

  // until it is known whether there was evidence before, the page claims neither
  await page.route('**/v1/validations/changed/windows', (route) => route.abort())
  await page.reload()
  await page.getByTestId('verdict').waitFor()
  expect(await page.getByText('Awaiting the first observation').count()).toBe(0)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.close()
})

test('a validation that receives nothing says so until something arrives, and where to look', async () => {
  // moved by hand only: on a slow machine the time without an alarm would pass before the page asks
  const ahead = { ms: 0 }
  const began = Date.now()
  const clock = { now: () => began + ahead.ms, monotonic: () => performance.now() }
  const validations = [
    { ...regression, name: 'heard' },
    { ...regression, name: 'quiet', quietAfter: '1m' },
  ]
  const quiet = await startTestComparator(validations, { clock })
  try {
    const answer = { prediction: 1 }
    await quiet.post([observation({ validation: 'heard', at: began, primary: answer, candidate: answer })])
    ahead.ms += 60_000
    const page = await signedIn(tokens.viewer, {}, quiet)
    const alarm = page.getByTestId('quiet-quiet')
    await alarm.getByText(/^Nothing has arrived yet: no exchange for \d+\s\w+\. No mirror reports/).waitFor()
    expect(await alarm.locator('svg').count()).toBe(1)
    await page.getByText(/1 receiving nothing/).waitFor()

    const report = (body: object) => quiet.call('POST', '/v1/coverage', { body })
    await report({ reports: [], mirrors: [{ validation: 'quiet', route: '/prices' }] })
    await alarm.getByText(/Its mirror reports, but sees no requests.*route \/prices is the path/).waitFor()
    await page.getByRole('link', { name: 'quiet', exact: true }).click()
    await page.getByRole('heading', { name: 'quiet', level: 1 }).waitFor()
    await alarm.getByText('Its mirror reports').waitFor()
    expect(await pageFindings(page, { within: ['[data-testid=quiet-quiet]'] })).toEqual([])

    const minute = `${new Date(clock.now()).toISOString().slice(0, 16)}:00.000Z`
    const seen = { reporter: 'm', validation: 'quiet', minute, sizeClass: 'le1KiB', skipped: {} }
    await report({ reports: [{ ...seen, seen: 1 }] })
    await alarm.waitFor({ state: 'detached' })
    ahead.ms += 60_000
    await alarm.getByText(/^Nothing is arriving: no exchange for/).waitFor()
    await page.context().close()
  } finally {
    await quiet.close()
  }
})

test.each(['light', 'dark'] as const)('axe finds nothing in the %s theme, wide or narrow', async (colorScheme) => {
  // axe measures contrast, which is lower while an element fades in
  const page = await signedIn(tokens.approver, { colorScheme, reducedMotion: 'reduce' })
  for (const [path, heading] of [
    ['#/', 'Validations'],
    ['#/validations/bad', 'bad'],
    ['#/audit', 'Audit'],
  ] as const) {
    // the layout changes at the narrowest width, then follows the window
    await page.setViewportSize({ width: 360, height: 800 })
    await page.goto(`${comparator.url}/${path}`)
    await page.reload()
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
    await expect.poll(() => page.locator('.loading, [aria-busy=true]').count()).toBe(0)
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await pageFindings(page, { colorScheme }), `${path} at ${width} px`).toEqual([])
    }
  }
  await page.close()
})

test('the pages threw nothing', () => {
  expect(pageErrors).toEqual([])
})
