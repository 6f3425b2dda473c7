import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { mirrorSchema } from '../mirror/config.ts'
import type { MirrorReport } from '../vocabulary/mirrors.ts'
import { launchBrowser } from './support/browser.ts'
import { classification, regression, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'
import { mirrorReport } from './support/mirror-report.ts'
import { pageFindings } from './support/page-findings.ts'
import { evidence, promoting } from './support/promotions.ts'
import { decode } from './support/services.ts'

const run = promisify(execFile)
const hostile = '"><img src=x onerror=alert(1)>'

let comparator: TestComparator
let browser: Browser
const pageErrors: string[] = []

beforeAll(async () => {
  comparator = await startTestComparator([
    { ...classification, name: 'asked', approvals: 2 },
    { ...classification, name: 'failing' },
    { ...regression, name: 'first' },
    { ...classification, name: 'gathering', window: { duration: '30d', samplesMin: 100_000, coverageMin: 0.9 } },
    { ...regression, name: 'quiet', quietAfter: '2s' },
  ])
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await comparator?.close()
})

async function signedIn(
  options: Parameters<Browser['newContext']>[0] = {},
  to: TestComparator = comparator,
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  page.on('pageerror', (error) => pageErrors.push(error.message))
  page.on('dialog', (dialog) => pageErrors.push(`a dialog: ${dialog.message()}`))
  await page.goto(to.url)
  await page.getByLabel('Access token').fill(tokens.viewer)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Validations' }).waitFor()
  return page
}

const candidate = (validation: string, more: Partial<MirrorReport['candidates'][number]> = {}) => ({
  validation,
  route: `/predictions/${validation}`,
  url: 'http://127.0.0.1:8090',
  breaker: 'closed' as const,
  inFlight: 2,
  queued: 0,
  lastAnswerAt: new Date().toISOString(),
  version: '3',
  digest: null,
  ...more,
})
const tell = (mirror: MirrorReport) => comparator.call('POST', '/v1/coverage', { body: { reports: [], mirror } })

test('an empty comparator shows what to paste, follows the steps, and shows the first observation by itself', async () => {
  const page = await signedIn()
  await page.getByText('Waiting for the first pair.', { exact: true }).waitFor()
  await page.getByLabel('For').selectOption('first')
  expect(await pageFindings(page)).toEqual([])

  // that it was copied, or how to, is said, since the button's name stays
  const snippet = page.getByTestId('snippet-a token')
  await snippet.getByRole('button', { name: 'Copy a token' }).click()
  await snippet
    .getByRole('status')
    .getByText(/^(Copied|Selected)/)
    .waitFor()
  const made = (await snippet.locator('pre').textContent())!
  const { stdout: printed } = await run('bash', ['-c', `${made}echo "$UNDERSTUDY_INGEST_TOKEN"`])
  const [line, token] = printed.trim().split('\n')
  const sha256 = createHash('sha256').update(token!).digest('hex')
  expect(parse(line!)).toEqual([{ name: 'mirror', role: 'ingest', sha256 }])
  expect(await page.getByText('…', { exact: false }).count()).toBe(0)

  const config = parse((await page.getByTestId('snippet-mirror.yaml').locator('pre').textContent())!)
  expect(config.mirror.comparator.url).toBe(comparator.url)
  config.mirror.comparator.token = tokens.ingest
  expect(decode(config.mirror, 'mirror', mirrorSchema)).toMatchObject({ routes: [{ path: '/predictions/first' }] })

  await tell(mirrorReport({ candidates: [candidate('first')] }))
  await page.getByText('eu-1 reports, and mirrors for first.').waitFor()
  const ledger = [{ validation: 'first', seen: 1, delivered: 0, pending: 1, skipped: {} }]
  await tell(mirrorReport({ candidates: [candidate('first')], ledger }))
  await page.getByText('1 exchange seen.').waitFor()

  await page.getByText('No mirror yet?').click()
  const command = (await page.getByTestId('snippet-one pair').locator('pre').textContent())!
  const { stdout } = await run('bash', ['-c', command], {
    env: { ...process.env, UNDERSTUDY_INGEST_TOKEN: tokens.ingest },
  })
  expect(JSON.parse(stdout)).toMatchObject({ accepted: 1, rejected: [] })
  await page.getByRole('heading', { name: 'Get your first pair' }).waitFor({ state: 'detached' })
  await page.getByTestId('validation-first').getByText('1 of 300').waitFor()
  await page.close()
})

test('what needs a person comes first, with verdict, reason, picture and figures; each row is one tab stop', async () => {
  // if it vanished without notice it would raise an alarm, should the test take long enough
  await tell(mirrorReport({ isStopping: true }))
  await comparator.post(evidence('asked'))
  await comparator.post(evidence('failing', { wrong: 0.5 }))
  await comparator.post(evidence('gathering', { seconds: 20 }))
  await promoting(() => comparator).promote('asked')
  const page = await signedIn()
  await page.getByText('ana asks to promote: 1 of 2 approvals').waitFor()
  await page.getByTestId('quiet-quiet').waitFor()

  const names = await page.locator('.row h3').allTextContents()
  expect(names.slice(0, 3)).toEqual(['asked', 'quiet', 'failing'])
  expect(await page.locator('.group h2').allTextContents()).toEqual(['Needs attention 3', 'Under way 2'])

  const failing = page.getByTestId('validation-failing')
  await failing.getByText('Fail', { exact: true }).waitFor()
  await failing.getByRole('img', { name: /^Agreement on the top label: 0\.[45]\d*, limit ≥\s0\.9$/ }).waitFor()
  expect(await failing.locator('.spark-line').count()).toBe(1)
  await failing
    .getByText(/^Agreement on the top label is 0\.\d+ to 0\.\d+, wholly outside the limit \(≥\s0\.9\)\.$/)
    .waitFor()
  await failing.getByText(/\d+\s\/min/).waitFor()
  const gathering = page.getByTestId('validation-gathering')
  await gathering.getByText(/^29\sd/).waitFor()
  // below the minimum n there is no estimate and no colour, but how much there is, in words only once
  await gathering.getByText(/^200 of 100,000 samples so far/).waitFor()
  expect(await gathering.getByText('have 200, need 100,000').isVisible()).toBe(false)
  const [bar, whole] = await Promise.all(
    ['.spark .thin-fill', '.spark .thin-bar'].map((part) => gathering.locator(part).boundingBox()),
  )
  expect(bar!.width / whole!.width).toBeCloseTo(0.002, 2)
  expect(await gathering.locator('.spark-line, .spark-interval, .spark-value').count()).toBe(0)
  // the deciding check is the same as on the validation's own page
  expect(await gathering.locator('.spark-metric').textContent()).toBe('samples')
  // "never measured" looks different from zero
  const quiet = page.getByTestId('validation-quiet')
  expect(await quiet.getByText('no data').count()).toBe(3)
  await quiet.getByText(/^0 of 300 samples so far/).waitFor()
  expect(await quiet.locator('.spark-line').count()).toBe(0)

  await failing.getByRole('link').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'failing', level: 1 }).waitFor()
  await page.close()
})

test('values of thirteen digits stay in their column, and a metric’s long name is not cut', async () => {
  const page = await signedIn()
  await page.route('**/v1/validations', async (route) => {
    const answer = await (await route.fetch()).json()
    const big = { estimate: 5_099_477_162_550, lower: 4e12, upper: 6e12, limit: { max: 1_234_567_890_123 } }
    for (const { glance } of answer.validations) {
      if (glance.deciding) Object.assign(glance.deciding, big, { metric: 'outputDrift.wasserstein' })
    }
    await route.fulfill({ json: answer })
  })
  await page.reload()
  await page.getByText('5,099,477,162,550').first().waitFor()
  const cut = `[...document.querySelectorAll('.spark figcaption, .spark-metric')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent)`
  for (const width of [1440, 1280, 800, 320]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await page.evaluate(cut), `at ${width} px`).toEqual([])
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.close()
})

test('the page of mirrors shows which report, which are behind, and which candidate server fails; hostile text stays text', async () => {
  const since = new Date(Date.now() - 60_000).toISOString()
  await tell(
    mirrorReport({
      lagMs: 194_000,
      spooledBytes: 81_264_640,
      ledger: [{ validation: 'asked', seen: 1000, delivered: 900, pending: 0, skipped: { shed: 90, notSampled: 10 } }],
      alarms: [{ code: 'BREAKER_OPEN', validation: 'asked', since, message: `it fails ${hostile}` }],
      candidates: [
        candidate('asked', { breaker: 'open', version: hostile }),
        candidate(hostile, { lastAnswerAt: null }),
      ],
    }),
  )
  await tell(mirrorReport({ name: hostile, isStopping: true }))
  const page = await signedIn()
  await page.goto(`${comparator.url}/#/mirrors`)
  await page.getByRole('heading', { name: 'Mirrors and candidate servers', level: 1 }).waitFor()
  const mirror = page.getByTestId('mirror-eu-1')
  await mirror.getByText('behind for 3 min 14 s').waitFor()
  await mirror.getByText('77.5 MiB').waitFor()
  await mirror.getByText('shed by a limit or an open breaker of the mirror (90), not sampled (10)').waitFor()
  await page.getByTestId('alarm-BREAKER_OPEN').getByText(`it fails ${hostile}`).waitFor()
  await page.getByTestId('alarm-UNKNOWN_VALIDATION').waitFor()
  await page.getByTestId('alarm-NOTHING_ARRIVING').getByRole('link', { name: 'quiet' }).waitFor()
  await page.getByText('Half-open').waitFor({ state: 'detached' })
  const [first] = await page.locator('.candidates tbody tr').allInnerTexts()
  expect(first).toMatch(/^asked\s+Open/)
  expect(await page.locator('main img').count()).toBe(0)

  await tell(mirrorReport({ candidates: [candidate('asked', { breaker: 'halfOpen' })] }))
  await page.getByText('Half-open').waitFor()
  await page.getByTestId('alarm-BREAKER_OPEN').waitFor({ state: 'detached' })
  await page.close()
})

test('on a narrow page the figures of a validation, of a mirror and of its ledger stand two by two', async () => {
  await tell(mirrorReport({ ledger: [{ validation: 'asked', seen: 10, delivered: 9, pending: 1, skipped: {} }] }))
  const page = await signedIn({ viewport: { width: 320, height: 800 } })
  for (const [path, figures] of [
    ['#/', '.row-figures > div'],
    ['#/mirrors', '.mirror-facts > div'],
    ['#/mirrors', '.ledger td'],
  ] as const) {
    await page.goto(`${comparator.url}/${path}`)
    await page.locator(figures).first().waitFor()
    const tops = await page
      .locator(figures)
      .evaluateAll((each: any[]) => each.slice(0, 3).map((figure) => figure.getBoundingClientRect().top))
    expect([tops[1], tops[2] > tops[1]], figures).toEqual([tops[0], true])
  }
  await page.close()
})

test('each mirror has an address that leads back to it, whatever its name', async () => {
  const page = await signedIn({ viewport: { width: 1280, height: 400 } })
  await page.goto(`${comparator.url}/#/mirrors`)
  for (const name of ['eu-1', hostile]) {
    const isShown = () =>
      page.getByTestId(`mirror-${name}`).evaluate((panel: any) => {
        const { top } = panel.getBoundingClientRect()
        return panel.matches(':focus') && Math.round(top) >= 0 && top < 400
      })
    await page.getByRole('link', { name: `Link to ${name}`, exact: true }).press('Enter')
    await expect.poll(() => page.url()).toContain('#/mirrors?at=mirror-')
    await expect.poll(isShown).toBe(true)
    await page.reload()
    await expect.poll(isShown).toBe(true)
  }
  await page.close()
})

test.each(['light', 'dark'] as const)(
  'axe finds nothing in the %s theme, and nothing scrolls sideways',
  async (colorScheme) => {
    const page = await signedIn({ colorScheme, reducedMotion: 'reduce' })
    for (const [path, ready] of [
      ['#/', '.row'],
      ['#/mirrors', '.mirror'],
    ] as const) {
      await page.goto(`${comparator.url}/${path}`)
      await page.locator(ready).first().waitFor()
      for (const width of [1280, 320]) {
        await page.setViewportSize({ width, height: 800 })
        expect(await pageFindings(page, { colorScheme }), `${path} at ${width} px`).toEqual([])
      }
    }
    await page.close()
  },
)

test('a comparator that becomes unreachable leaves the overview as it was, with a note', async () => {
  await tell(mirrorReport({ candidates: [candidate('asked')] }))
  const page = await signedIn()
  await page.locator('.row').first().waitFor()
  await page.getByTestId('mirrors-line').getByText('1 of 1 answer').waitFor()
  await comparator.stop()
  await page.getByText('This page is not being updated.').waitFor()
  expect(await page.locator('.row h3').count()).toBe(5)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await pageFindings(page, { colorScheme }), colorScheme).toEqual([])
  }
  await page.getByRole('link', { name: /^Mirrors/ }).click()
  await page.locator('.mirrors-old .mirror').first().waitFor()
  expect(await pageFindings(page)).toEqual([])
  await page.close()
})

test('on a phone a row’s four figures are two rows of two', async () => {
  const many = await startTestComparator([
    { ...regression, name: 'one' },
    { ...regression, name: 'other' },
  ])
  try {
    await many.post(evidence('one'))
    const page = await signedIn({ viewport: { width: 390, height: 800 }, isMobile: true }, many)
    const figures = page.getByTestId('validation-one').locator('.row-figures > div')
    await figures.first().waitFor()
    const places = await figures.evaluateAll((each) => each.map((one) => one.getBoundingClientRect()))
    const [first, second, third, fourth] = places as { x: number; y: number }[]
    expect([second!.y, third!.x, fourth!.x, fourth!.y]).toEqual([first!.y, first!.x, second!.x, third!.y])
    await page.context().close()
  } finally {
    await many.close()
  }
})

test('many validations can be searched by name, and those that need nothing take one line each', async () => {
  const names = Array.from({ length: 24 }, (_, k) => `model-${k}`)
  const many = await startTestComparator(names.map((name) => ({ ...regression, name })))
  try {
    const page = await signedIn({}, many)
    const rows = page.getByTestId(/^validation-/)
    await expect.poll(() => rows.count()).toBe(24)
    const heights = await rows.evaluateAll((each) => each.map((row) => row.getBoundingClientRect().height))
    expect(Math.max(...heights)).toBeLessThan(50)
    await page.getByLabel('Name').fill('MODEL-2')
    await page.getByText('5 of 24').waitFor()
    expect(await rows.count()).toBe(5)
    await page.context().close()
  } finally {
    await many.close()
  }
})

test('the pages threw nothing', () => {
  expect(pageErrors).toEqual([])
})
