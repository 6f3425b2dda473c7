import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { launchBrowser } from './support/browser.ts'
import { classification, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'
import { pageFindings } from './support/page-findings.ts'
import { evidence, promoting } from './support/promotions.ts'

const names = ['harmed', 'one', 'two', 'three', 'four']
/** Allows the newest evidence to consist of errors, however long the clock makes it. */
const errorsAllowed = [
  { metric: 'agreement', min: 0 },
  { metric: 'errorRate.delta', max: 1 },
]
const guard = { errorRateDeltaMax: 0.01 }

let comparator: TestComparator
let browser: Browser
let context: BrowserContext
const pageErrors: string[] = []
const { promote, stateOf } = promoting(() => comparator)

beforeAll(async () => {
  const slow = { steps: [10, 100], stepDuration: '1d' }
  const atOnce = { steps: [100], stepDuration: '500ms', guard }
  comparator = await startTestComparator([
    ...names.slice(1).map((name) => ({ ...classification, name, rollout: slow })),
    { ...classification, name: 'harmed', gate: errorsAllowed, rollout: atOnce },
  ])
  const until = Date.now()
  for (const name of names) {
    await comparator.post(evidence(name, { until }))
    expect((await promote(name)).status).toBe(201)
  }
  await waitFor(
    'it to be promoted',
    () => stateOf('harmed'),
    ({ state }) => state === 'promoted',
  )
  const failing = evidence('harmed', { seconds: 2, live: 'candidate', until: until + 2000 })
  for (const one of failing) one.candidate = { kind: 'answered', status: 500, totalMs: 5, version: '1' }
  await comparator.post(failing)
  browser = await launchBrowser()
  context = await browser.newContext({ viewport: { width: 1920, height: 900 }, reducedMotion: 'reduce' })
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

test('a promoted candidate that harms clients needs a person, even if its window passes', async () => {
  const page = await opened('#/')
  const harm = /^Error rate, candidate − primary: .* over 20 answers.*; limit ≤\s1\s%\.$/
  const row = page.getByRole('region', { name: /^Needs attention/ }).getByTestId('validation-harmed')
  await row.getByText('Serving clients while its live gate sees harm: roll it back?').waitFor()
  await row.getByText(harm).waitFor()
  await row.getByText('Pass', { exact: true }).waitFor()

  await page.goto(`${comparator.url}/#/validations/harmed`)
  const alarm = page.getByTestId('live-harm')
  await alarm.getByText(/Only a person can roll back a completed promotion: roll it back\?/).waitFor()
  const verdict = page.getByTestId('verdict').getByText('Pass')
  expect((await alarm.boundingBox())!.y).toBeLessThan((await verdict.boundingBox())!.y)
  expect(await pageFindings(page, { within: ['.banner'] })).toEqual([])

  await page.route('**/v1/validations/harmed', (route) => route.abort())
  await alarm.getByRole('status').getByText('The live gate saw harm, and is not being updated.').waitFor()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.close()
})

test('live traffic takes the full width; many candidates fold behind one line, except those that harm clients', async () => {
  const page = await opened('#/')
  const strip = page.getByTestId('live-strip')
  const rows = strip.getByRole('listitem')
  const unfold = strip.getByRole('button', { name: '5 live on candidates, harm seen in 1' })
  await unfold.waitFor()
  expect(await rows.allInnerTexts()).toEqual([expect.stringContaining('harmed answers 100\u00a0%')])
  const [around, within] = [await page.getByRole('main').boundingBox(), await strip.boundingBox()]
  expect(within).toMatchObject({ x: around!.x, width: around!.width })
  await unfold.click()
  expect(await rows.count()).toBe(5)
  expect(await rows.first().innerText()).toContain('harmed answers 100\u00a0%')
  await page.setViewportSize({ width: 390, height: 844 })
  await unfold.click()
  await strip.getByRole('button', { name: 'Roll back harmed' }).waitFor()
  expect(await rows.count()).toBe(1)
  expect(await pageFindings(page, { within: ['.live-strip'] })).toEqual([])
  await page.close()
})

test('live candidates in doubt are not hidden behind fifty others, and it is said if there are more than the API returns', async () => {
  const page = await context.newPage()
  await page.route('**/v1/promotions?live*', async (route) => {
    const response = await route.fetch()
    const { promotions } = await response.json()
    const quiet = promotions.find(({ validation }: { validation: string }) => validation === 'one')
    const asked = Number(new URL(route.request().url()).searchParams.get('limit'))
    const many = Array.from({ length: asked }, (_, k) => ({ ...quiet, id: `promotion-${k}`, validation: `many-${k}` }))
    many[60] = { ...many[60], liveGate: { ...quiet.liveGate, verdict: 'inconclusive', samples: 12 } }
    many[70] = { ...many[70], override: true }
    await route.fulfill({ json: { promotions: many } })
  })
  await page.goto(`${comparator.url}/#/`)
  const strip = page.getByTestId('live-strip')
  await strip.getByRole('button', { name: 'More than 199 live on candidates, 1 in doubt, 1 against the gate' }).click()
  const rows = strip.getByRole('listitem')
  expect(await rows.count()).toBe(200)
  expect(await rows.first().innerText()).toContain('many-60 answers')
  expect(await rows.last().innerText()).toBe(
    'These are the newest 199; Validations lists the rest, those that need attention first.',
  )
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.close()
})

test('text typed for one promotion is not offered for the validation’s next one', async () => {
  const page = await context.newPage()
  let isNext = false
  await page.route('**/v1/promotions?live*', async (route) => {
    const response = await route.fetch()
    const { promotions } = await response.json()
    const harmed = promotions.find(({ validation }: { validation: string }) => validation === 'harmed')
    await route.fulfill({ json: { promotions: [isNext ? { ...harmed, id: 'the-next' } : harmed] } })
  })
  await page.route('**/rollback', (route) =>
    route.fulfill({ status: 409, json: { code: 'CONFLICT', message: 'It ended already.' } }),
  )
  await page.goto(`${comparator.url}/#/`)
  const ask = page.getByTestId('live-strip').getByRole('button', { name: 'Roll back harmed' })
  const dialog = page.getByRole('dialog', { name: 'Roll back harmed?' })
  await ask.click()
  await dialog.getByLabel('Comment').fill('Clients get errors')
  await dialog.getByRole('button', { name: 'Confirm rollback' }).click()
  await page.getByText('It ended already.').waitFor()
  await ask.click()
  expect(await dialog.getByLabel('Comment').inputValue()).toBe('Clients get errors')
  isNext = true
  await page.reload()
  await ask.click()
  expect(await dialog.getByLabel('Comment').inputValue()).toBe('')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.close()
})

test('text typed before a rollback stays, whatever happens to the rows beneath', async () => {
  const page = await opened('#/')
  await page.setViewportSize({ width: 390, height: 844 })
  const strip = page.getByTestId('live-strip')
  await strip.getByRole('button', { name: 'Roll back harmed' }).click()
  const comment = page.getByRole('dialog', { name: 'Roll back harmed?' }).getByLabel('Comment')
  await comment.fill('Clients get errors')
  await page.route('**/v1/promotions?live*', (route) => route.abort())
  await strip.getByText('not being updated').waitFor()
  expect(await comment.isVisible()).toBe(true)
  expect(await strip.locator('li:visible').allInnerTexts()).toEqual([expect.stringContaining('harmed answers')])
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.route('**/v1/promotions?live*', (route) => route.fulfill({ json: { promotions: [] } }))
  await strip.waitFor({ state: 'detached' })
  expect(await comment.isVisible()).toBe(true)
  expect(await comment.inputValue()).toBe('Clients get errors')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.close()
})

test('it survives a session that ends under the dialog, and is dropped with it on cancel', async () => {
  const own = await browser.newContext({ reducedMotion: 'reduce' })
  await own.request.post(`${comparator.url}/v1/session`, { data: { token: tokens.approver } })
  const page = await own.newPage()
  await page.goto(`${comparator.url}/#/validations/two`)
  const ask = page.getByTestId('promotion').getByRole('button', { name: 'Roll back' })
  const comment = page.getByRole('dialog').getByLabel('Comment')
  await ask.click()
  await comment.fill('Clients get errors')
  await own.clearCookies()
  await page.getByText('Your session has ended.').waitFor()
  await page.getByLabel('Access token').fill(tokens.approver)
  await page.keyboard.press('Enter')
  await ask.click()
  expect(await comment.inputValue()).toBe('Clients get errors')
  await page.keyboard.press('Escape')
  await ask.click()
  expect(await comment.inputValue()).toBe('')
  await own.close()
})

test('a rollout has one rollback button, and its result appears without another poll', async () => {
  const page = await context.newPage()
  await page.clock.install()
  await page.goto(`${comparator.url}/#/validations/one`)
  const panel = page.getByTestId('promotion')
  await panel.getByRole('heading', { name: 'Rolling out' }).waitFor()
  expect(await panel.getByRole('button').allInnerTexts()).toEqual(['Roll back'])

  // an earlier answer is still on its way while the reader acts, and time stands still
  await page.clock.pauseAt(Date.now() + 60_000)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/v1/validations/one', async (route) => {
    const response = await route.fetch()
    await held
    await route.fulfill({ response })
  })
  const asked = page.waitForRequest('**/v1/validations/one')
  await page.clock.runFor(20_000)
  await asked
  await panel.getByRole('button', { name: 'Roll back' }).click()
  await page.clock.runFor(50) // lets the dialog open
  await page.getByRole('button', { name: 'Confirm rollback' }).click()
  await panel.getByText('one is rolled back: the primary answers.').waitFor()
  release()
  await panel.getByRole('heading', { name: 'Promotion', exact: true }).waitFor()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.close()
})

test('the pages threw nothing', () => {
  expect(pageErrors).toEqual([])
})
