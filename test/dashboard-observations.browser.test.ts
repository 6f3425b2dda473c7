import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ObservationPage } from '../vocabulary/api/observation-view.ts'
import { launchBrowser } from './support/browser.ts'
import { observation, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'
import { pageFindings } from './support/page-findings.ts'

const labels = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']
const digits = readFileSync(join(import.meta.dirname, '../deploy/demo/data/digits.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { image: string; label: string })
const window = { duration: '60s', samplesMin: 10, coverageMin: 0.5 }
const bodies = { bodies: 'all' }
const validations = [
  {
    name: 'digits',
    output: { kind: 'classification', scores: '/predictions', labels },
    gate: [{ metric: 'agreement', min: 0.9 }],
    store: { bodies: 'all', headers: ['content-type', 'x-note'] },
  },
  {
    name: 'bare',
    output: { kind: 'regression', value: '/v' },
    gate: [{ metric: 'mae', max: 1 }],
    store: { bodies: 'none' },
  },
  { name: 'failing', output: { kind: 'regression', value: '/v' }, gate: [{ metric: 'mae', max: 1 }] },
  {
    name: 'vectors',
    output: { kind: 'embedding', vector: '/data/*/v' },
    gate: [{ metric: 'cosine', min: 0.9 }],
    store: bodies,
  },
  {
    name: 'rows',
    output: { kind: 'classification', scores: '/rows/*/scores', labels: ['cat', 'dog', 'cow'] },
    gate: [{ metric: 'agreement', min: 0.9 }],
    store: bodies,
  },
  {
    name: 'tags',
    output: { kind: 'classification', scores: '/tags', scoreMin: 0.5 },
    gate: [{ metric: 'labelF1', min: 0.9 }],
    store: bodies,
  },
  { name: 'boxes', output: { kind: 'detection', boxes: '/boxes' }, gate: [{ metric: 'f1', min: 0.9 }], store: bodies },
  {
    name: 'answers',
    output: { kind: 'text', text: '/answer' },
    gate: [{ metric: 'editSimilarity', min: 0.9 }],
    store: { bodies: 'all', redact: ['/user/name'] },
  },
  {
    name: 'documents',
    output: { kind: 'json', document: '', ignore: ['/id'], tolerance: { absolute: 0.01, relative: 0 } },
    gate: [{ metric: 'fieldsEqual', min: 0.9 }],
    store: bodies,
  },
].map((validation) => ({ ...validation, window }))

/** Index of the hostile digit; the five after it fail. */
const hostileAt = 64
const override = '\u202e'
const script = '<script>globalThis.ran = true</script><img src=x onerror="globalThis.ran = true">'
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="globalThis.ran = true"><image href="http://127.0.0.1:9/"/></svg>`
const json = (body: unknown) => ({ body: JSON.stringify(body), bodyEncoding: 'utf8' as const, bodyBytes: 9 })
const post = { method: 'POST', path: '/p', headers: { 'content-type': 'application/json' } }

let comparator: TestComparator
let browser: Browser
let context: BrowserContext
const wrong: string[] = []

beforeAll(async () => {
  comparator = await startTestComparator(validations)
  const at = Date.now() - 120_000
  const scores = (top: number) => ({ predictions: labels.map((_, i) => (i === top ? 0.9 : 0.01)) })
  const picture = await sharp({ create: { width: 320, height: 200, channels: 3, background: '#567' } })
    .png()
    .toBuffer()
  const rows = (...scores: number[][]) => ({ rows: scores.map((each) => ({ scores: each })) })
  const cat = { label: 'cat', score: 0.9, box: [20, 20, 120, 120] }
  const hostile = { ...post, path: `/p?${script}`, headers: { 'x-note': `${script}${override}evil` } }
  const receipts = [
    await comparator.post(
      digits.slice(0, 70).map(({ image, label }, i) =>
        observation({
          validation: 'digits',
          at: at + i * 100,
          correlationId: i === hostileAt ? script : `digit-${i}`,
          primary: scores(Number(label)),
          candidate: i < 65 ? scores((Number(label) + 1) % 10) : { kind: 'timedOut', totalMs: 900, version: '1' },
          request:
            i === hostileAt
              ? { ...hostile, ...json({ svg, image }) }
              : { ...post, body: image, bodyEncoding: 'base64', bodyBytes: 130 },
        }),
      ),
    ),
    await comparator.post([
      observation({
        validation: 'failing',
        at,
        primary: { v: 10 },
        candidate: { kind: 'timedOut', totalMs: 900, version: '1' },
      }),
      observation({ validation: 'bare', at, primary: { v: 10 }, candidate: { v: 12.5 } }),
      observation({
        validation: 'vectors',
        at,
        primary: { data: [{ v: [4, 0, 4] }, { v: [1, 2, -3] }] },
        candidate: { data: [{ v: [4, 0, 4.1] }, { v: [1, 1, 3] }] },
        request: {
          ...post,
          body: Buffer.from([0, 255, 1, 254, 0x41]).toString('base64'),
          bodyEncoding: 'base64',
          bodyBytes: 5,
        },
      }),
      observation({
        validation: 'boxes',
        at,
        primary: { boxes: [cat, { label: script, score: 0.8, box: [200, 50, 300, 150] }] },
        candidate: { boxes: [{ ...cat, box: [25, 22, 118, 125] }] },
        request: { ...post, ...json({ image: `data:image/svg+xml;base64,${picture.toString('base64')}` }) },
      }),
      observation({
        validation: 'rows',
        at,
        primary: rows([0.9, 0.05, 0.05], [0.1, 0.7, 0.2], [0.2, 0.3, 0.5], [0.8, 0.1, 0.1]),
        candidate: rows([0.8, 0.1, 0.1], [0.1, 0.4, 0.5], [0.6, 0.3, 0.1], [0.8, 0.1, 0.1]),
      }),
      observation({
        validation: 'tags',
        at,
        primary: { tags: { beach: 0.6, sunset: 0.3, night: 0.2 } },
        candidate: { tags: { beach: 0.42, sunset: 0.43, night: 0.39 } },
      }),
      observation({
        validation: 'answers',
        at,
        primary: { answer: 'The refund comes within five days.' },
        candidate: { answer: `The refund comes within three days.${override}${script}` },
        request: { ...post, ...json({ user: { name: 'Ana' }, question: "where's it?" }) },
      }),
      observation({
        validation: 'documents',
        at,
        primary: { id: 1, total: 9.99, items: ['a'], name: script },
        candidate: { id: 2, total: 9.995, items: ['a', 'b'], name: 'c' },
        request: { ...post, body: 'x'.repeat(300_000), bodyEncoding: 'utf8', bodyBytes: 300_000 },
      }),
      observation({
        validation: 'documents',
        at: at + 1,
        primary: { مرحبا: 5 },
        candidate: { kind: 'answered', status: 500, totalMs: 3, body: svg, version: '1' },
      }),
    ]),
  ]
  expect(receipts.map(({ accepted }) => accepted)).toEqual([70, 9])
  const truths = [{ validation: 'digits', correlationId: 'digit-1', label: digits[1]!.label }]
  await comparator.call('POST', '/v1/labels', { body: { labels: truths } })

  browser = await launchBrowser()
  context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await opened('')
  await page.getByLabel('Access token').fill(tokens.viewer)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Validations' }).waitFor()
  await page.close()
})
afterEach(async () => {
  for (const page of context.pages()) await page.close()
})
afterAll(async () => {
  await browser?.close()
  await comparator?.close()
})

/** A page that records thrown errors, policy violations and requests to other hosts. */
async function opened(hash: string, where = context): Promise<Page> {
  const page = await where.newPage()
  page.on('pageerror', (error) => wrong.push(error.message))
  page.on('console', (message) => message.text().includes('Content Security Policy') && wrong.push(message.text()))
  page.on('request', (request) => {
    if (!request.url().startsWith(comparator.url) && !request.url().startsWith('blob:')) wrong.push(request.url())
  })
  await page.goto(`${comparator.url}/${hash}`)
  return page
}

async function idsOf(validation: string, query = 'order=worst'): Promise<string[]> {
  const path = `/v1/validations/${validation}/observations?${query}&limit=100`
  const { body } = await comparator.call('GET', path, { token: tokens.viewer })
  return (body as ObservationPage).observations.map(({ id }) => id)
}

async function openedWorst(validation: string): Promise<Page> {
  const page = await opened(`#/observations/${(await idsOf(validation))[0]}`)
  await page.getByRole('heading', { name: 'Answers' }).waitFor()
  return page
}

const hash = (page: Page) => new URL(page.url()).hash
const focused = (page: Page) => page.evaluate('document.activeElement.id') as Promise<string>

describe('the list of observations', () => {
  test('is filtered by its address, and continues where it ended', async () => {
    const ids = await idsOf('digits')
    const page = await opened('#/validations/digits/observations')
    const rows = page.getByTestId('observation')
    await expect.poll(() => rows.count()).toBe(50)
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => rows.count()).toBe(70)
    expect(await focused(page)).toBe(`observation-${ids[50]}`)
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)

    // a failed one says only once why
    const failed = rows.filter({ hasText: 'failed' })
    expect(await failed.count()).toBe(5)
    expect((await failed.first().innerText()).match(/timed out|failed/g)!.toSorted()).toEqual(['failed', 'timed out'])

    await page.getByLabel('Outcome').selectOption('failed')
    await expect.poll(() => rows.count()).toBe(5)
    await expect.poll(() => hash(page)).toBe('#/validations/digits/observations?comparison=failed')
    await page.getByRole('link', { name: 'Newest' }).click()
    await expect.poll(() => hash(page)).toBe('#/validations/digits/observations?order=newest&comparison=failed')
    await page.getByLabel('Outcome').selectOption('')
    await page.getByLabel('Slice').selectOption('class=3')
    const threes = digits.slice(0, 70).filter(({ label }) => label === '3').length
    await expect.poll(() => rows.count()).toBe(threes)
    await page.reload()
    await expect.poll(() => rows.count()).toBe(threes)
  })

  test('reloaded while its next page loads is not overwritten by that page', async () => {
    const page = await opened('')
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/observations?*cursor=*', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(`${comparator.url}/#/validations/digits/observations`)
    const rows = page.getByTestId('observation')
    const asked = page.waitForRequest('**/observations?*cursor=*')
    await page.getByRole('button', { name: 'Show more' }).click()
    await asked
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByRole('button', { name: 'Show more' }).waitFor()
    const answered = page.waitForResponse('**/observations?*cursor=*')
    release()
    await (await answered).finished()
    await page.waitForTimeout(200)
    expect(await rows.count()).toBe(50)
  })

  test('stays while it is loaded again, and so does the focus', async () => {
    const page = await opened('#/validations/digits/observations')
    const rows = page.getByTestId('observation')
    await expect.poll(() => rows.count()).toBe(50)
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/observations?*', async (route) => {
      await held
      await route.abort()
    })
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByRole('button', { name: 'Refreshing…' }).waitFor()
    expect(await rows.count()).toBe(50)
    release()
    await page.getByText('This page is not being updated.').waitFor()
    expect(await rows.count()).toBe(50)
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Refresh')
    // what failed is tried again, not the next page
    await page.unroute('**/observations?*')
    const again = page.waitForResponse('**/observations?*')
    await page.getByRole('button', { name: 'Retry' }).click()
    expect((await again).url()).not.toContain('cursor')
    await page.getByText('This page is not being updated.').waitFor({ state: 'detached' })
    expect(await rows.count()).toBe(50)
  })

  test('is where it was left when the reader returns from an observation', async () => {
    const ids = await idsOf('digits')
    const page = await opened('#/validations/digits/observations')
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.locator(`#observation-${ids[60]}`).click()
    await page.getByText('61 of 70').waitFor()
    await page.keyboard.press('j')
    await page.getByText('62 of 70').waitFor()
    await page.goBack()
    await expect.poll(() => focused(page)).toBe(`observation-${ids[61]}`)
    expect(await page.getByTestId('observation').count()).toBe(70)
    expect(await page.evaluate('scrollY')).toBeGreaterThan(1000)
  })

  test('is where it was left when the reader returns before the observation is painted', async () => {
    const ids = await idsOf('digits')
    const page = await opened('#/validations/digits/observations')
    await page.locator(`#observation-${ids[0]}`).click()
    await page.getByText('1 of 50+').waitFor()
    await page.evaluate(`
      const paint = requestAnimationFrame
      requestAnimationFrame = (draw) => setTimeout(() => paint(draw), 100)
      new MutationObserver((_changes, observer) => {
        if (!document.querySelector('.neighbours').textContent.includes('2 of 50+')) return
        observer.disconnect()
        history.back()
      }).observe(document.body, { childList: true, subtree: true, characterData: true })`)
    await page.keyboard.press('j')
    await expect.poll(() => focused(page)).toBe(`observation-${ids[1]}`)
  })

  test('takes a key as soon as an observation is there', async () => {
    const ids = await idsOf('digits')
    const page = await opened('#/validations/digits/observations')
    await page.locator(`#observation-${ids[0]}`).waitFor()
    await page.evaluate(`void new MutationObserver((_changes, observer) => {
      if (!document.querySelector('.neighbours')) return
      observer.disconnect()
      dispatchEvent(new KeyboardEvent('keydown', { key: 'j' }))
    }).observe(document.body, { childList: true, subtree: true })`)
    await page.locator(`#observation-${ids[0]}`).click()
    await page.getByText('2 of 50+').waitFor()
  })

  test('takes keys pressed faster than observations are shown one by one', async () => {
    const ids = await idsOf('digits')
    const page = await opened(`#/observations/${ids[0]}`)
    await page.getByText('1 of 50+').waitFor()
    const press = (...keys: string[]) =>
      page.evaluate(`for (const key of ${JSON.stringify(keys)}) dispatchEvent(new KeyboardEvent('keydown', { key }))`)
    await press('j', 'j', 'j', 'k')
    await page.getByText('3 of 50+').waitFor()
    // a step back to the list comes first, though it takes effect only in a later task
    await page.goto(`${comparator.url}/#/validations/digits/observations`)
    await page.locator(`#observation-${ids[0]}`).click()
    await page.getByText('1 of 50+').waitFor()
    await page.evaluate(`addEventListener('popstate', () => dispatchEvent(new KeyboardEvent('keydown', { key: 'j' })))
      history.back()`)
    await expect.poll(() => focused(page)).toBe(`observation-${ids[0]}`)
    expect(hash(page)).toBe('#/validations/digits/observations')
  })

  test('is where “Observations” above an observation leads, wherever the reader came from', async () => {
    const page = await opened('#/validations/digits')
    const worst = page.getByRole('table', { name: 'Worst disagreements' }).getByRole('link').first()
    const crumb = page.locator('.crumbs').getByRole('link', { name: 'Observations' })
    await worst.click()
    await page.getByText('1 of 50+').waitFor()
    await page.goBack()
    await worst.click()
    await page.getByText('1 of 50+').waitFor()
    await crumb.click()
    await expect.poll(() => hash(page)).toBe('#/validations/digits/observations?comparison=compared')
    // from the list it is one step back, to the place that was left
    await page.getByTestId('observation').nth(20).getByRole('link').click()
    await page.getByText('21 of 50+').waitFor()
    await crumb.click()
    await expect
      .poll(() => focused(page))
      .toBe(`observation-${(await idsOf('digits', 'order=worst&comparison=compared'))[20]}`)
    expect(await page.evaluate('navigation.canGoForward')).toBe(true)
  })

  test('shows the worst few on the validation’s page, each with its input as a picture', async () => {
    const page = await opened('#/validations/digits')
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Worst disagreements' }) })
    await section.getByTestId('observation').first().waitFor()
    await section.scrollIntoViewIfNeeded()
    const picture = section.locator('img').first()
    await expect.poll(() => picture.evaluate((image: any) => image.naturalWidth)).toBe(8)
    expect(await picture.getAttribute('src')).toMatch(/^blob:/)
    // failures, however many, do not push out answers that differ
    const table = (caption: string) => section.getByRole('table', { name: caption })
    // each table comes with its own answer
    await section.locator('.loading').waitFor({ state: 'detached' })
    expect(await table('Worst disagreements').locator('.cell-apart').allInnerTexts()).toEqual(
      Array(5).fill('different label'),
    )
    // each row says only once why a candidate failed
    const failed = table('The candidate failed')
    expect(
      await failed
        .locator('tbody')
        .getByText(/timed out|failed/)
        .allInnerTexts(),
    ).toEqual(Array(3).fill('timed out'))
    // columns common to all tables are aligned
    const lefts = (column: string) =>
      section
        .locator('thead th', { hasText: column })
        .evaluateAll((heads) => new Set(heads.map((head) => head.getBoundingClientRect().left)).size)
    for (const column of ['Primary', 'Candidate', 'Latency']) expect(await lefts(column), column).toBe(1)
    await section.getByRole('link', { name: 'All disagreements' }).click()
    await expect.poll(() => hash(page)).toBe('#/validations/digits/observations?comparison=compared')
    await page.getByText('different label').first().waitFor()
    await page.goBack()
    await section.getByRole('link', { name: 'All observations' }).click()
    await expect.poll(() => page.getByTestId('observation').count()).toBe(50)
    await page.goBack()
    await failed.getByRole('link').first().click()
    await page.getByText(/^\d of 5\b/).waitFor()
  })

  test('holds still while the keyboard is in it, wherever the mouse is', async () => {
    const page = await opened('')
    await page.clock.install()
    await page.goto(`${comparator.url}/#/validations/digits`)
    const row = page.getByRole('table', { name: 'Worst disagreements' }).getByTestId('observation').first()
    await row.getByRole('link').focus()
    await row.hover()
    await page.mouse.move(0, 0)
    let asked = 0
    page.on('request', (request) => {
      if (request.url().includes('limit=5')) asked++
    })
    await page.clock.fastForward(10_000)
    await page.waitForTimeout(200)
    expect(asked).toBe(0)
    await page.evaluate('document.activeElement.blur()')
    await expect.poll(() => asked).toBeGreaterThan(0)
  })

  test('has a skeleton for as long as one of its lists is on its way', async () => {
    const page = await opened('')
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route(/observations\?.*order=typical/, async (route) => {
      await held
      await route.continue()
    })
    await page.goto(`${comparator.url}/#/validations/digits`)
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Worst disagreements' }) })
    await section.getByRole('table', { name: 'Worst disagreements' }).waitFor()
    await section.getByText('Loading observations').waitFor({ state: 'attached' })
    release()
    await section.getByRole('table', { name: 'Typical pairs' }).waitFor()
    expect(await section.getByText('Loading observations').count()).toBe(0)
  })

  test('says that all answers are the same only once some have been compared', async () => {
    const page = await opened('#/validations/failing')
    await page.getByText('None: no answers have been compared yet.').waitFor()
    const alike = { validation: 'failing', at: Date.now() - 60_000, primary: { v: 10 }, candidate: { v: 10 } }
    await comparator.post([observation(alike)])
    await page.getByText('None: all answers compared so far are the same.').waitFor()
  })

  test('says that there is nothing only once each of its lists has loaded, and why one did not', async () => {
    const page = await opened('')
    const none = { json: { observations: [], nextCursor: null } }
    let failed: 'held' | 'refused' | 'read' = 'held'
    const held: (() => void)[] = []
    await page.route(/observations\?.*limit=[35]$/, async (route) => {
      if (!route.request().url().includes('comparison=failed')) return route.fulfill(none)
      if (failed === 'held') await new Promise<void>((go) => held.push(go))
      const problem = { status: 429, json: { code: 'TOO_MANY', message: 'Asked too often.' } }
      await route.fulfill(failed === 'refused' ? problem : none)
    })
    const typical = page.waitForResponse(/order=typical/)
    await page.goto(`${comparator.url}/#/validations/digits`)
    await typical
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Worst disagreements' }) })
    await section.getByText('Loading observations').waitFor({ state: 'attached' })
    const nothing = section.getByText('Nothing to look at yet')
    expect(await nothing.count()).toBe(0)

    failed = 'refused'
    for (const go of held) go()
    await section.getByText('This could not be loaded.').waitFor()
    await section.getByText('Asked too often.').waitFor()
    expect(await nothing.count()).toBe(0)

    failed = 'read'
    await section.getByRole('button', { name: 'Retry' }).click()
    await nothing.waitFor()
  })
})

describe('a slice whose value a client chose', () => {
  test('reverses nothing, neither in the filter nor above an observation', async () => {
    const slice = encodeURIComponent(`class=${override}evil`)
    const page = await opened(`#/validations/digits/observations?slice=${slice}`)
    const option = page.getByLabel('Slice').locator('option:checked')
    await expect.poll(() => option.textContent()).toBe('\u2068class=[U+202E]evil\u2069')
    const [id] = await idsOf('digits')
    await page.goto(`${comparator.url}/#/observations/${id}?slice=${slice}`)
    await page.locator('.crumbs bdi', { hasText: 'class=' }).waitFor()
    expect(await page.locator('.crumbs .hidden-character').innerText()).toBe('U+202E')
  })
})

describe('one observation', () => {
  test('names both sides in the same type on a narrow page, also where the candidate failed', async () => {
    const page = await opened('#/validations/failing/observations')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByTestId('observation').first().waitFor()
    const types = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.observation [data-label]')]
        .filter((cell) => /Primary|Candidate/.test(cell.dataset.label))
        .map((cell) => getComputedStyle(cell, '::before'))
        .map(({ content, color, fontSize, fontWeight }) => [content, color, fontSize, fontWeight].join(' '))`,
    )
    expect(types[0]).toMatch(/^"Primary".* 400$/)
    expect(types[1]).toBe(types[0]!.replace('Primary', 'Candidate'))
  })

  test('tells screen readers which side gives which label', async () => {
    const [id] = await idsOf('digits', 'order=worst&comparison=compared')
    const page = await opened(`#/observations/${id}`)
    const said = await page.locator('.verdict-line').innerText()
    expect(said).toMatch(/^primary says\s+\d\s+candidate says\s+\d$/)
  })

  test('leads to the next and the previous one by arrow keys, and by letters unless they are switched off', async () => {
    const ids = await idsOf('digits')
    const page = await opened(`#/observations/${ids[0]}`)
    await page.getByText('1 of 50+').waitFor()
    for (const [key, place] of [
      ['ArrowRight', 1],
      ['j', 2],
      ['k', 1],
      ['ArrowLeft', 0],
    ] as const) {
      await page.keyboard.press(key)
      await page.getByText(`${place + 1} of 50+`).waitFor()
      await expect.poll(() => hash(page)).toBe(`#/observations/${ids[place]}`)
    }
    await page.getByLabel('keys').uncheck()
    await page.keyboard.press('j')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => hash(page)).toBe(`#/observations/${ids[1]}`)
    await page.getByLabel('keys').check()
    await page.getByRole('link', { name: 'Next' }).click()
    await expect.poll(() => hash(page)).toBe(`#/observations/${ids[2]}`)
  })

  test('stays as it is, with its picture, until the next one is there', async () => {
    const ids = await idsOf('digits')
    const page = await opened(`#/observations/${ids[0]}`)
    const picture = page.locator('.pictures img')
    const address = await picture.getAttribute('src')
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route(`**/v1/observations/${ids[1]}`, async (route) => {
      await held
      await route.continue()
    })
    await page.getByText('1 of 50+').waitFor()
    await page.keyboard.press('j')
    await page.getByText('2 of 50+').waitFor()
    expect(await picture.getAttribute('src')).toBe(address)
    release()
    await expect.poll(() => picture.getAttribute('src')).not.toBe(address)
  })

  test('that cannot be shown is passed over like any other', async () => {
    const ids = await idsOf('digits')
    const page = await opened(`#/observations/${ids[0]}`)
    await page.route(`**/v1/observations/${ids[1]}`, (route) =>
      route.fulfill({ status: 404, json: { code: 'UNKNOWN_OBSERVATION', message: 'it was deleted' } }),
    )
    await page.getByText('1 of 50+').waitFor()
    await page.keyboard.press('j')
    await page.getByText('There is no such observation').waitFor()
    await page.getByText('2 of 50+').waitFor()
    await page.keyboard.press('j')
    await page.locator(`.observation-head:has-text("${ids[2]}")`).waitFor()
  })

  test('has the next page of its list before a key held down needs it', async () => {
    const page = await opened(`#/observations/${(await idsOf('digits'))[40]}`)
    await page.getByText('41 of 70').waitFor()
  })

  test('retries loading a next page, with a pause and only a few times', async () => {
    const ids = await idsOf('digits')
    const page = await opened('')
    await page.route('**/observations?*cursor=*', (route) => route.abort())
    await page.clock.install()
    // the time of each request, by the page's own clock, which a slow machine does not change
    await page.evaluate(`{
      const ask = fetch
      globalThis.askedAt = []
      globalThis.fetch = (path, options) => {
        if (path.includes('cursor=')) askedAt.push(Date.now())
        return ask(path, options)
      }
    }`)
    const asked = () => page.evaluate<number[]>('askedAt')
    await page.goto(`${comparator.url}/#/observations/${ids[49]}`)
    await page.getByText('50 of 50+').waitFor()
    await expect
      .poll(async () => {
        await page.clock.fastForward(500)
        return (await asked()).length
      })
      .toBe(5)
    const times = await asked()
    for (const [i, waitMs] of [2000, 4000, 8000, 15_000].entries()) {
      expect(times[i + 1]! - times[i]!, `wait ${i + 1}`).toBeGreaterThanOrEqual(waitMs)
    }
    await page.waitForTimeout(200)
    await page.clock.fastForward(120_000)
    await page.waitForTimeout(200)
    expect(await asked()).toHaveLength(5)
    await page.unroute('**/observations?*cursor=*')
    await page.keyboard.press('k')
    await page.getByText('49 of 50+').waitFor()
    await page.keyboard.press('j')
    await page.getByText('50 of 50+').waitFor()
    await page.clock.fastForward(2000)
    await page.getByText('50 of 70').waitFor()
  })

  test('does not retry a next page that is refused', async () => {
    const ids = await idsOf('digits')
    const page = await opened('')
    let asked = 0
    await page.route('**/observations?*cursor=*', (route) => {
      asked++
      return route.fulfill({ status: 400, json: { code: 'CURSOR_INVALID', message: 'The cursor is of another list.' } })
    })
    await page.clock.install()
    await page.goto(`${comparator.url}/#/observations/${ids[49]}`)
    await expect.poll(() => asked).toBe(1)
    await page.waitForTimeout(200)
    await page.clock.fastForward(60_000)
    await page.waitForTimeout(200)
    expect(asked).toBe(1)
  })

  test('shows classes with their scores, the picture, the truth and both timings', async () => {
    const id = (await idsOf('digits')).at(-1)!
    const { body } = await comparator.call('GET', `/v1/observations/${id}`, { token: tokens.viewer })
    expect(body.pairs[0]).toMatchObject({ output: '', pair: { kind: 'scores', labels: 10 } })
    expect(body.primary).toMatchObject({ ttfbMs: 20 })
    const page = await opened(`#/observations/${id}`)
    await page.getByRole('heading', { name: 'Different label' }).waitFor()
    expect(await page.locator('.paired-bars tbody tr').count()).toBe(10)
    await page.getByText('The candidate took 10.0 ms less.').waitFor()
    await expect.poll(() => page.locator('.pictures img').evaluate((image: any) => image.naturalWidth)).toBe(8)
    const labelled = (await idsOf('digits')).slice(0, 70)
    const details = await Promise.all(
      labelled.map(
        async (each) => (await comparator.call('GET', `/v1/observations/${each}`, { token: tokens.viewer })).body,
      ),
    )
    const known = details.find(({ truth }) => truth !== null)!
    await page.goto(`${comparator.url}/#/observations/${known.id}`)
    await page.getByText('primary right, candidate wrong').waitFor()
  })

  test('draws both sides’ boxes on the picture, and says which matched', async () => {
    const page = await openedWorst('boxes')
    await page.getByText('1 matched').waitFor()
    await expect.poll(() => page.locator('.boxes-picture img').evaluate((image: any) => image.naturalWidth)).toBe(320)
    expect(await page.locator('rect.box-primary').count()).toBe(2)
    expect(await page.locator('rect.box-candidate').count()).toBe(1)
    const [box, image] = await Promise.all([
      page.locator('rect.box-primary').first().boundingBox(),
      page.locator('.boxes-picture img').boundingBox(),
    ])
    expect((box!.x - image!.x) / image!.width).toBeCloseTo(200 / 320, 1)
    const alone = page.getByText('only primary')
    await alone.waitFor()
    await page.setViewportSize({ width: 320, height: 844 })
    // one line
    expect((await alone.boundingBox())!.height).toBeLessThan(20)
  })

  test('shows a body whose names are written from right to left with each value after its name', async () => {
    const page = await opened(`#/observations/${(await idsOf('documents'))[0]}`)
    await page.locator('.body-text', { hasText: 'مرحبا' }).waitFor()
    const [name, value] = await page.evaluate<[number, number]>(`(() => {
      const body = [...document.querySelectorAll('.body-text')].find((each) => each.textContent.includes('مرحبا'))
      return ['م', '5'].map((character) => {
        const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT)
        while (!walker.nextNode().data.includes(character));
        const range = document.createRange()
        const at = walker.currentNode.data.indexOf(character)
        range.setStart(walker.currentNode, at)
        range.setEnd(walker.currentNode, at + 1)
        return range.getBoundingClientRect().left
      })
    })()`)
    expect(value).toBeGreaterThan(name)
  })

  test('shows texts with the differing words, and characters that would hide in them', async () => {
    const page = await openedWorst('answers')
    expect(await page.locator('.text-side del').allInnerTexts()).toEqual(['five'])
    expect(await page.locator('.text-side ins').first().innerText()).toBe('three')
    await page.locator('.text-side').getByText('U+202E').waitFor()
    await page.getByText('Redacted by').waitFor()
    await page.getByText('"[redacted]"').waitFor()
  })

  test('shows differing fields first, and separately those within the tolerance and those ignored', async () => {
    const page = await opened(`#/observations/${(await idsOf('documents'))[1]}`)
    await page.getByText('2 fields differ').waitFor()
    const fields = page.getByRole('table', { name: 'Fields that differ' })
    expect(await fields.locator('tbody th').allInnerTexts()).toEqual(['/items/1', '/name'])
    await page.getByText('1 field within the tolerance, 0.01 absolute').click()
    await page.getByRole('table', { name: 'Fields within the tolerance' }).getByText('/total').waitFor()
    await page.getByText('1 ignored by /id').click()
    await page.getByRole('table', { name: 'Ignored fields' }).getByText('/id').waitFor()
    await page.getByText('280,000 more characters are not shown.').waitFor()
  })

  test('shows differing rows first, each with both labels and their scores', async () => {
    const page = await openedWorst('rows')
    await page.getByRole('heading', { name: 'different label in 2 of 4 rows' }).waitFor()
    const table = page.getByRole('table', { name: 'Rows of both sides' })
    expect(await table.locator('tbody tr').allInnerTexts()).toEqual(
      [
        ['2', 'cow 0.5000', 'cat 0.6000', 'different label'],
        ['1', 'dog 0.7000', 'cow 0.5000', 'different label'],
        ['0', 'cat 0.9000', 'cat 0.8000', 'same'],
        ['3', 'cat 0.8000', 'cat 0.8000', 'same'],
      ].map((row) => row.join('\t')),
    )
    const list = await opened('#/validations/rows/observations')
    await list.getByText('different label in 2 of 4 rows').waitFor()
    const validation = await opened('#/validations/rows')
    await validation.locator('.confused tbody tr').first().waitFor()
    expect(await validation.locator('.confused a').count()).toBe(0)
  })

  test('shows which labels each side gives, if a model may give several or none', async () => {
    const list = await opened('#/validations/tags/observations?order=worst')
    const row = list.getByTestId('observation').first()
    await row.getByRole('link', { name: '−beach' }).waitFor()
    expect(await row.locator('.answer-main').allInnerTexts()).toEqual(['beach', 'none'])
    await list.close()
    const page = await openedWorst('tags')
    await page.getByRole('heading', { name: '−beach' }).waitFor()
    expect(await page.locator('.verdict-line .leg strong').allInnerTexts()).toEqual(['beach', 'none'])
    await page.getByText('A label is given at 0.5 or above').waitFor()
    const least = await page.locator('.pair-least').evaluateAll((lines) => lines.map((line) => line.getAttribute('x1')))
    expect(new Set(least)).toEqual(new Set(['50%']))
  })

  test('shows vectors as bars, bytes as hex, and why a failure is one', async () => {
    const vectors = await openedWorst('vectors')
    expect(await vectors.locator('.paired-bars tbody tr').count()).toBe(3)
    await vectors.getByText('The row with index 1, the most different of 2.').waitFor()
    await vectors.getByText('00 ff 01 fe 41').waitFor()
    await vectors.getByText('5 bytes.').waitFor()
    const failed = await openedWorst('documents')
    await failed.getByRole('heading', { name: 'The candidate failed' }).waitFor()
    await failed.getByText('status 500').first().waitFor()
    const bare = await openedWorst('bare')
    await bare.getByRole('heading', { name: '+2.5' }).waitFor()
    await bare.getByText('store.bodies is none').waitFor()
    // as running text, not with each setting's name on a line of its own
    const tops = await bare.locator('p.kept-note code').evaluateAll((codes) => codes.map((code) => code.offsetTop))
    expect(tops).toHaveLength(2)
    expect(tops[1]).toBe(tops[0])
  })

  test('is copied as a command that sends the stored request', async () => {
    const page = await openedWorst('answers')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('Copied.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      [
        "curl --globoff --path-as-is -X 'POST'",
        `"$UPSTREAM"'/p'`,
        "-H 'content-type: application/json'",
        `--data-raw '{"user":{"name":"[redacted]"},"question":"where'\\''s it?"}'`,
      ].join(' \\\n  '),
    )
  })

  test('that does not exist is reported as such', async () => {
    const page = await opened('#/observations/0193a7b0-0000-7000-8000-000000000000')
    await page.getByRole('heading', { name: 'There is no such observation' }).waitFor()
    await page.getByText(/^No observation 0193a7b0-0000-7000-8000-000000000000; /).waitFor()

    // only for as long as the address is its own
    const [id] = await idsOf('digits')
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route(`**/v1/observations/${id}`, async (route) => {
      await held
      await route.continue()
    })
    await page.goto(`${comparator.url}/#/observations/${id}`)
    await page.getByText('There is no such observation').waitFor({ state: 'detached', timeout: 10_000 })
    release()
    await page.getByRole('heading', { name: 'Answers' }).waitFor()
  })
})

test('clients’ data stays text: scripts, SVG, names, paths and headers', async () => {
  const page = await opened('#/validations/digits/observations?order=newest')
  const row = page.getByTestId('observation').filter({ hasText: script })
  await row.getByRole('link').click()
  await page.getByRole('heading', { name: 'Request' }).waitFor()
  await page.getByText(`/p?${script}`).waitFor()
  await page.locator('dl.headers').getByText('U+202E').waitFor()
  // of the two pictures in the body, only the raster one is drawn
  expect(await page.locator('.pictures img').count()).toBe(1)
  for (const validation of ['boxes', 'answers', 'documents']) {
    for (const id of await idsOf(validation)) {
      await page.goto(`${comparator.url}/#/observations/${id}`)
      await page.getByRole('heading', { name: 'Responses' }).waitFor()
      expect(await page.evaluate('globalThis.ran')).toBeUndefined()
      expect(await page.locator('main script, main svg image, main iframe, main object').count()).toBe(0)
    }
  }
})

test.each(['light', 'dark'] as const)('axe finds nothing in the %s theme, wide or narrow', async (colorScheme) => {
  const others = await Promise.all(['boxes', 'answers', 'documents', 'vectors'].map((name) => idsOf(name)))
  const newest = await idsOf('digits', 'order=newest')
  const ids = [...others.map((list) => list.at(-1)!), newest[69 - hostileAt]!]
  const page = await opened('')
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  for (const place of ['#/validations/digits/observations?order=newest', ...ids.map((id) => `#/observations/${id}`)]) {
    await page.goto(`${comparator.url}/${place}`)
    const id = place.split('/')[2]!
    await page
      .locator(place.includes('validations') ? '.observations' : `.observation-head:has-text("${id}")`)
      .waitFor()
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 800 })
      const found = await pageFindings(page, { colorScheme, within: ['main'] })
      expect(found, `${place} at ${width} px`).toEqual([])
    }
  }
})

test('the pages threw nothing, broke no policy and contacted no other host', () => {
  expect(wrong).toEqual([])
})
