import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillMonth } from '../bench/gate/fill-month.ts'
import { validationOf } from '../bench/gate/plan.ts'
import { foldGroups } from '../comparator/jobs/expire.ts'
import { openDatabase } from '../comparator/store/database/open-database.ts'
import { addValidations } from '../comparator/store/gate/policies.ts'
import { freePorts } from '../runtime/testing/free-ports.ts'
import { launchBrowser } from './support/browser.ts'
import { observation, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'
import { createTestDatabase } from './support/database.ts'
import { intakeOn } from './support/intake.ts'

const script = '<script>globalThis.ran = true</script><img src=x onerror="globalThis.ran = true">'
const override = '\u202e'
/** Runs if it is taken for markup, and reverses the text after it. */
const hostile = `${script}${override}evil`
const month = validationOf('classification', 1e7)
const answerBytesMax = 100 * 1000
const scriptBytesMax = 200 * 1000

const window = { duration: '60s', samplesMin: 100, coverageMin: 0.5 }
const store = { bodies: 'all', headers: ['content-type', 'x-tenant'] }
const validations = [
  {
    name: 'labels',
    output: { kind: 'classification', label: '/label', scores: '/scores' },
    slices: [
      { name: 'tenant', header: 'x-tenant' },
      { name: 'country', pointer: '/country' },
    ],
    store,
    window,
    // with so few exchanges, the gate's own limit on failures would be undecided
    gate: [
      { metric: 'agreement', min: 0.5 },
      { metric: 'errorRate.delta', max: 0.2 },
      { metric: 'agreement', slice: `tenant=${'x'.repeat(60)}`, min: 0.5, reportOnly: true },
    ],
    approvals: 2,
  },
  {
    name: 'values',
    output: { kind: 'regression', value: '/value' },
    store,
    window,
    gate: [{ metric: 'mae', max: 1e12 }],
  },
  { name: 'boxes', output: { kind: 'detection', boxes: '/boxes' }, store, window, gate: [{ metric: 'f1', min: 0.9 }] },
  { name: 'texts', output: { kind: 'text', text: '/text' }, store, window, gate: [{ metric: 'tokenF1', min: 0.9 }] },
  {
    name: 'fields',
    output: { kind: 'json', document: '' },
    store,
    window,
    gate: [{ metric: 'fieldsEqual', min: 0.9 }],
  },
  month,
]

let comparator: TestComparator
let browser: Browser
let context: BrowserContext
/** Errors that pages threw, policy violations, requests to other hosts, opened windows. */
const wrong: string[] = []
/** Largest response for each kind of request, in transferred bytes. */
const answers = new Map<string, number>()

beforeAll(async () => {
  const database = await createTestDatabase()
  await fillDatabase(database.url)
  // a comparator that comes back must come back there
  const more = { listen: `127.0.0.1:${await freePorts(1)}` }
  comparator = await startTestComparator(validations, { database, more })
  await fillWithHostility()
  browser = await launchBrowser()
  context = await browser.newContext({ viewport: { width: 320, height: 800 }, reducedMotion: 'reduce' })
  await context.request.post(`${comparator.url}/v1/session`, { data: { token: tokens.second } })
})
afterAll(async () => {
  await browser?.close()
  await comparator?.close()
})

/** Writes the rollups that a month of 10⁷ observations would leave. */
async function fillDatabase(url: string): Promise<void> {
  const { db, close } = await openDatabase(url)
  try {
    const known = intakeOn(db, validations).validations
    await addValidations(db, [...known.values()])
    await fillMonth(db, known.get(month.name)!.config, 1e7)
    await foldGroups({ db, validations: known }, Date.now())
  } finally {
    await close()
  }
}

/** Puts hostile text into every field that senders of observations, labels, reports or comments can choose. */
async function fillWithHostility(): Promise<void> {
  const began = Date.now() - 65_000
  const box = { label: hostile, score: 0.9, box: [10, 10, 60, 60] }
  const bodies: Record<string, [primary: unknown, candidate: unknown]> = {
    labels: [
      { label: hostile, scores: { [hostile]: 0.8, b: 0.2 } },
      { label: `${hostile}2`, scores: { [hostile]: 0.3, b: 0.7 } },
    ],
    values: [
      { value: 31_234_567_890, [hostile]: hostile },
      { value: 73_123_456_789, [hostile]: hostile },
    ],
    boxes: [{ boxes: [box] }, { boxes: [{ ...box, label: `${hostile}2` }] }],
    texts: [{ text: `We say ${hostile}` }, { text: `They say ${hostile}` }],
    fields: [
      { [hostile]: hostile, plain: 1 },
      { [hostile]: `${hostile}2`, plain: 1 },
    ],
  }
  for (const [validation, [primary, candidate]] of Object.entries(bodies)) {
    const observations = Array.from({ length: 130 }, (_, i) => {
      const same = observation({
        validation,
        at: began + i * 500,
        correlationId: `${hostile}${i}`,
        primary,
        candidate: i % 3 === 0 ? candidate : primary,
        request: {
          method: 'POST',
          path: `/${hostile}`,
          headers: { 'content-type': 'application/json', 'x-tenant': hostile },
          body: JSON.stringify({ country: hostile, [hostile]: hostile }),
          bodyEncoding: 'utf8',
          bodyBytes: 400,
        },
      })
      for (const leg of [same.primary, same.candidate]) Object.assign(leg, { version: hostile, digest: hostile })
      return same
    })
    expect(await comparator.post(observations)).toMatchObject({ accepted: 130 })
  }
  const truths = Array.from({ length: 50 }, (_, i) => ({ correlationId: `${hostile}${i}`, label: hostile }))
  const labels = truths.map((truth) => ({ validation: 'labels', ...truth }))
  expect((await comparator.call('POST', '/v1/labels', { body: { labels } })).body).toMatchObject({ accepted: 50 })

  const now = new Date().toISOString()
  const candidate = { route: `/${hostile}`, url: hostile, breaker: 'open', inFlight: 0, queued: 0, lastAnswerAt: now }
  const mirror = {
    name: hostile,
    worker: 0,
    workers: 1,
    startedAt: now,
    isStopping: false,
    lagMs: 5000,
    spooledBytes: 0,
    pending: 0,
    ledger: [{ validation: hostile, seen: 2, delivered: 1, pending: 0, skipped: { [hostile]: 1 } }],
    alarms: [{ code: hostile, validation: hostile, since: now, message: `It fails: ${hostile} every time.` }],
    candidates: [{ ...candidate, validation: hostile, version: hostile, digest: hostile }],
  }
  const body = { reports: [], mirrors: [{ validation: 'labels', route: `/${hostile}` }], mirror }
  expect((await comparator.call('POST', '/v1/coverage', { body })).status).toBe(202)

  const ana = { token: tokens.approver }
  const { body: gate } = await comparator.call('GET', '/v1/validations/values/gate', ana)
  const asked = { gateId: gate.id, comment: hostile, override: true }
  const path = '/v1/validations/values/promotion'
  expect((await comparator.call('POST', path, { token: tokens.admin, body: asked })).status).toBe(201)
  for (const [action, name] of [
    ['reject', 'labels'],
    [null, 'labels'],
  ] as const) {
    const { body: gate } = await comparator.call('GET', `/v1/validations/${name}/gate`, ana)
    const requested = { gateId: gate.id, comment: `Because ${hostile}` }
    const { status, body } = await comparator.call('POST', `/v1/validations/${name}/promotion`, {
      ...ana,
      body: requested,
    })
    expect(status, JSON.stringify(body)).toBe(201)
    if (action !== null) {
      await comparator.call('POST', `/v1/promotions/${body.id}/${action}`, { ...ana, body: { comment: hostile } })
    }
  }
}

async function opened(): Promise<Page> {
  const page = await context.newPage()
  page.on('pageerror', (error) => wrong.push(error.message))
  page.on('dialog', (dialog) => wrong.push(`a dialog: ${dialog.message()}`))
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) wrong.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(comparator.url) && !request.url().startsWith('blob:')) wrong.push(request.url())
  })
  page.on('requestfinished', async (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.startsWith('/v1/')) return
    const sizes = await request.sizes().catch(() => null)
    const question = pathname.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'ID')
    if (sizes) answers.set(question, Math.max(answers.get(question) ?? 0, sizes.responseBodySize))
  })
  return page
}

async function show(page: Page, path: string): Promise<void> {
  await page.goto(`${comparator.url}/${path}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.locator('.loading, [aria-busy=true]').first().waitFor({ state: 'detached' })
}

async function everyPath(): Promise<string[]> {
  const viewer = { token: tokens.viewer }
  const worst = await Promise.all(
    ['labels', 'values', 'boxes', 'texts', 'fields'].map(async (name) => {
      const { body } = await comparator.call('GET', `/v1/validations/${name}/observations?order=worst&limit=1`, viewer)
      return `#/observations/${body.observations[0].id}`
    }),
  )
  const { body } = await comparator.call('GET', '/v1/promotions?validation=values', viewer)
  return [
    '#/',
    '#/mirrors',
    '#/audit',
    ...validations.map(({ name }) => `#/validations/${name}`),
    `#/validations/labels?slice=${encodeURIComponent(`tenant=${hostile.slice(0, 100)}`)}`,
    `#/validations/${encodeURIComponent(hostile)}`,
    '#/validations/labels/observations',
    ...worst,
    `#/${encodeURIComponent(hostile)}`,
    `v1/promotions/${body.promotions[0].id}/dossier?format=html`,
  ]
}

/**
 * Finds texts in which an override reverses what follows it: raw, in an element that neither isolates nor contains it.
 */
const turnedAround = `(() => {
  const found = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const at = node.data.indexOf('\\u202e')
    if (at < 0 || node.parentElement.closest('script, style, option, svg, textarea')) continue
    let element = node.parentElement
    const isolates = (of) => /isolate|plaintext/.test(getComputedStyle(of).unicodeBidi) || getComputedStyle(of).display !== 'inline'
    while (!isolates(element)) element = element.parentElement
    const behind = element.textContent.slice(element.textContent.lastIndexOf('\\u202e') + 1)
    if (!/^evil\\W?\\d{0,3}"?$/.test(behind.trim())) found.push(element.outerHTML.slice(0, 300) + ' … ' + behind.slice(0, 80))
  }
  return found
})()`

describe('every view, at 320 px', () => {
  test('shows clients’ text as text, keeps to its policy, contacts no other host and does not scroll sideways', async () => {
    const page = await opened()
    const problems: string[] = []
    for (const path of await everyPath()) {
      await show(page, path)
      // scrolls to load what appears only when visible
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      const found = await page.evaluate<Record<string, unknown>>(`({
        ran: globalThis.ran ?? null,
        injected: document.querySelectorAll('img[src="x"], body script, iframe, object, embed').length,
        sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        turned: ${turnedAround},
      })`)
      if (found.ran !== null || found.injected !== 0 || (found.sideways as number) > 0) {
        problems.push(`${path}: ${JSON.stringify({ ...found, turned: undefined })}`)
      }
      for (const text of found.turned as string[]) problems.push(`${path} is turned around: ${text}`)
    }
    expect(problems.join('\n')).toBe('')
    expect(wrong).toEqual([])
    await page.close()
  })

  test('shows the hostile text where it belongs', async () => {
    const page = await opened()
    for (const [path, places] of [
      ['#/mirrors', 4],
      ['#/audit', 2],
      ['#/validations/labels', 4],
      ['#/validations/labels/observations', 10],
    ] as const) {
      await show(page, path)
      expect(await page.getByText(script).count(), path).toBeGreaterThanOrEqual(places)
    }
    await page.close()
  })

  test('keeps the words right and wrong whole beside a long label', async () => {
    const page = await opened()
    await show(page, '#/validations/labels/observations')
    const marks = page.locator('.truth-mark')
    await marks.first().waitFor()
    const lines = await marks.evaluateAll((each: any[]) => each.map((mark) => mark.getClientRects().length))
    expect(new Set(lines)).toEqual(new Set([1]))
    await page.close()
  })

  test('gives a long truth a wider column than a short one', async () => {
    const page = await opened()
    await page.setViewportSize({ width: 1280, height: 800 })
    await show(page, '#/validations/labels/observations')
    const truth = page.locator('.cell-truth', { hasText: script }).first()
    const lines = await truth.evaluate((cell: any) => {
      const range = cell.ownerDocument.createRange()
      range.selectNodeContents(cell)
      return new Set([...range.getClientRects()].map(({ bottom }: any) => Math.round(bottom / 8))).size
    })
    expect(lines).toBeLessThanOrEqual(4)
    await page.close()
  })

  test('keeps the words primary and candidate whole beside a long version', async () => {
    const page = await opened()
    await show(page, '#/validations/labels')
    const lines = await page.evaluate<number[]>(`[...document.querySelectorAll('.versions .leg')].map((leg) => {
      const word = document.createRange()
      word.selectNodeContents(leg.firstChild)
      return word.getClientRects().length
    })`)
    expect(lines).toEqual([1, 1])
    await page.close()
  })
})

test('a month of 10⁷ observations is shown from answers of at most 100 KB, like everything else', async () => {
  const page = await opened()
  await show(page, `#/validations/${month.name}`)
  await page.getByRole('heading', { name: 'Slices' }).first().waitFor()
  await expect.poll(() => page.locator('figure svg').count()).toBeGreaterThan(5)
  const large = [...answers].filter(([, bytes]) => bytes > answerBytesMax)
  expect(large).toEqual([])
  expect(answers.get(`/v1/validations/${month.name}/metrics`)).toBeGreaterThan(1000)
  // not only because of compression
  const path = `/v1/validations/${month.name}/metrics`
  const { body } = await comparator.call('GET', path, { token: tokens.viewer })
  expect(JSON.stringify(body).length).toBeLessThanOrEqual(answerBytesMax)
  await page.close()
})

test('all scripts together are at most 200 KB in gzip', async () => {
  const page = await (await fetch(comparator.url)).text()
  const scripts = [...page.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map((match) => match[1]!)
  expect(scripts.length).toBeGreaterThan(0)
  const sizes = await Promise.all(scripts.map((path) => bytesOf(new URL(path, comparator.url).href)))
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(scriptBytesMax)
})

/** Size of a file as transferred with gzip. */
async function bytesOf(url: string): Promise<number> {
  const [response] = (await once(get(url, { headers: { 'accept-encoding': 'gzip' } }), 'response')) as [IncomingMessage]
  expect(response.headers['content-encoding']).toBe('gzip')
  let bytes = 0
  for await (const chunk of response) bytes += (chunk as Buffer).length
  return bytes
}

test('labels that begin alike are told apart in the list of the most confused', async () => {
  const page = await opened()
  await show(page, '#/validations/labels')
  const cells = page.locator('.confused .cell-label')
  await cells.first().waitFor()
  const cut = await cells.evaluateAll((each: any[]) => each.map((cell) => cell.scrollWidth > cell.clientWidth))
  expect(cut).toEqual([false, false])
  await page.close()
})

test('a comparator that dies leaves every page as it was, with a note, and each recovers by itself', async () => {
  const paths = ['#/', '#/mirrors', '#/audit', '#/validations/labels']
  const pages = await Promise.all(
    paths.map(async (path) => {
      const page = await opened()
      await show(page, path)
      return page
    }),
  )
  const decision = pages[3]!
  const approve = decision.getByRole('button', { name: 'Approve' })
  await expect.poll(() => approve.isEnabled()).toBe(true)
  const before = await Promise.all(pages.map((page) => page.getByRole('heading').count()))
  await comparator.stop()
  try {
    for (const [i, page] of pages.entries()) {
      await page.bringToFront()
      await page.getByText('This page is not being updated.').first().waitFor()
      // disabled by whichever request went unanswered first
      if (page === decision) expect(await approve.isDisabled()).toBe(true)
      expect(await page.getByRole('heading').count(), paths[i]).toBe(before[i])
    }
  } finally {
    await comparator.restart()
  }
  for (const page of pages) {
    await page.bringToFront()
    await page.getByText('This page is not being updated.').first().waitFor({ state: 'detached' })
  }
  await decision.bringToFront()
  await expect.poll(() => approve.isEnabled()).toBe(true)
  for (const page of pages) await page.close()
})

test('on paper a validation has its verdict, every check with its arithmetic, and no buttons', async () => {
  const page = await opened()
  await page.setViewportSize({ width: 1280, height: 900 })
  await show(page, '#/validations/labels')
  await page.emulateMedia({ media: 'print' })
  await page.setViewportSize({ width: 720, height: 1000 })
  expect(await page.getByTestId('verdict').isVisible()).toBe(true)
  expect(await page.getByTestId('reason').isVisible()).toBe(true)
  const { body } = await comparator.call('GET', '/v1/validations/labels/gate', { token: tokens.viewer })
  expect(body.checks.length).toBeGreaterThan(3)
  expect(
    await page
      .getByTestId(/^check-/)
      .filter({ visible: true })
      .count(),
  ).toBe(body.checks.length)
  for (const { text } of body.checks) {
    expect(await page.getByText(text).first().isVisible(), text).toBe(true)
  }
  // a small chart's title is a button that enlarges it, but on paper it is only a title
  expect(await page.locator('button:visible:not(.figure-title)').allInnerTexts()).toEqual([])
  expect(await page.getByRole('textbox').filter({ visible: true }).count()).toBe(0)
  const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  expect(await page.evaluate(sideways)).toBeLessThanOrEqual(0)
  await page.close()
})
