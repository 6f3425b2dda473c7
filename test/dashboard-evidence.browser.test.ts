import { readFileSync } from 'node:fs'
import type { Browser, Download, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from './support/browser.ts'
import { observation, startTestComparator, type TestComparator, tokens } from './support/comparator.ts'
import { pageFindings } from './support/page-findings.ts'

const labels = Array.from({ length: 4 }, (_, i) => `kind ${i}`)
const hostile = '<img src=x onerror="document.title=1">'
const window = { duration: '48h', samplesMin: 100, coverageMin: 0.9 }
const hours = 48
const perHour = 20
const viewport = { width: 1280, height: 900 }
/** Width of A4 between the browser's default margins. */
const sheetPx = 718

let comparator: TestComparator
let browser: Browser
let page: Page
const pageErrors: string[] = []

const scores = (top: number) => labels.map((_, i) => (i === top ? 0.7 : 0.1))

/** Two days of exchanges; `make` returns both sides' answers and further facts about the request. */
async function fill(validation: string, make: (i: number) => { primary: any; candidate: any; tenant?: string }) {
  const now = Date.now()
  const observations = Array.from({ length: hours * perHour }, (_, i) => {
    const { primary, candidate, tenant = 'acme' } = make(i)
    const one = observation({
      validation,
      at: now - (hours * perHour - i) * (3_600_000 / perHour),
      correlationId: `${validation}-${i}`,
      primary,
      candidate,
      primaryMs: 40 + (i % 13),
      candidateMs: i % 25 === 0 ? 70 : 10 + (i % 7),
    })
    one.request.headers = { ...one.request.headers, 'x-tenant': tenant }
    one.candidate.queuedMs = 0.2 + (i % 5)
    return one
  })
  for (let from = 0; from < observations.length; from += 240) {
    const { accepted } = await comparator.post(observations.slice(from, from + 240))
    expect(accepted).toBe(240)
  }
}

beforeAll(async () => {
  const classes = { kind: 'classification', scores: '/scores', labels }
  comparator = await startTestComparator([
    {
      name: 'classes',
      output: classes,
      outputs: { price: { kind: 'regression', value: '/price' } },
      slices: [{ name: 'tenant', header: 'x-tenant' }],
      noiseFloor: 'itself',
      window,
      gate: [
        { metric: 'agreement', min: 0.8 },
        { metric: 'latency.candidate.p99', max: 100 },
      ],
    },
    { name: 'itself', output: classes, window, gate: [{ metric: 'agreement', min: 0.5, reportOnly: true }] },
    { name: 'documents', output: { kind: 'json', document: '' }, window, gate: [{ metric: 'fieldsEqual', min: 0.5 }] },
    {
      name: 'batches',
      output: { kind: 'classification', label: '/*' },
      window,
      gate: [{ metric: 'agreement', min: 0.5 }],
    },
  ])
  // one tenant is wrong half of the time, and its name must not become markup
  await fill('classes', (i) => {
    const top = i % labels.length
    const tenant = i % 3 === 0 ? hostile : 'acme'
    const isWrong = tenant === hostile && i % 2 === 0
    return {
      tenant,
      primary: { scores: scores(top), price: 100 + (i % 40) },
      candidate: { scores: scores(isWrong ? (top + 1) % labels.length : top), price: 101 + (i % 40) },
    }
  })
  await fill('itself', (i) => {
    const answer = { scores: scores(i % labels.length) }
    return { primary: answer, candidate: i % 50 === 0 ? { scores: scores((i + 1) % labels.length) } : answer }
  })
  await fill('documents', (i) => ({
    primary: { name: 'ana', items: [{ price: i }] },
    candidate: { name: 'ana', items: [{ price: i % 4 === 0 ? i + 1 : i }] },
  }))
  const labelled = (hours * perHour) / 2
  const sendLabels = async (of: unknown[]) => {
    const { body } = await comparator.call('POST', '/v1/labels', { body: { labels: of } })
    expect(body).toMatchObject({ accepted: of.length })
  }
  // only a label that comes before its answer can be a misfit; all batches are equally bad, and the list of the worst
  // begins with the first ones: the misfit is not among them
  const batchLabel = (i: number, label: unknown) => ({ validation: 'batches', correlationId: `batches-${i}`, label })
  await sendLabels([batchLabel(labelled - 1, ['cat'])])
  await fill('batches', () => ({ primary: ['cat', 'dog', 'cat'], candidate: ['cat', 'cat', 'cat'] }))
  const classLabel = (i: number) => ({
    validation: 'classes',
    correlationId: `classes-${i}`,
    label: labels[i % labels.length],
  })
  await sendLabels(Array.from({ length: labelled }, (_, i) => classLabel(i)))
  await sendLabels(Array.from({ length: labelled - 1 }, (_, i) => batchLabel(i, ['cat', 'dog', null])))

  browser = await launchBrowser()
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce' })
  page = await context.newPage()
  page.on('pageerror', (error) => pageErrors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy/.test(message.text())) pageErrors.push(message.text())
  })
  await page.goto(comparator.url)
  await page.getByLabel('Access token').fill(tokens.viewer)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Validations' }).waitFor()
})
afterAll(async () => {
  await browser?.close()
  await comparator?.close()
})

async function open(address: string): Promise<void> {
  await page.goto(`${comparator.url}/#/validations/${address}`)
  // the page before has the same sections
  await page.getByRole('heading', { level: 1, name: address.split('?')[0]!, exact: true }).waitFor()
  await page.getByRole('heading', { name: 'Latency', exact: true }).waitFor()
  await expect.poll(() => page.locator('.loading').count()).toBe(0)
}

const section = (name: string) => page.locator(`section[aria-labelledby=${name}]`)
const figure = (title: string | RegExp) =>
  page.locator('figure', { has: page.locator('figcaption', { hasText: title }) })

async function bytesOf(button: string): Promise<Buffer> {
  const [download] = await Promise.all([
    page.waitForEvent('download') as Promise<Download>,
    page.getByRole('button', { name: button, exact: true }).click(),
  ])
  return readFileSync(await download.path())
}
const downloaded = async (button: string) => (await bytesOf(button)).toString('utf8')

test('latency shows both sides over time and as distributions, the paired difference, and our queue separately', async () => {
  await open('classes')
  const latency = section('latency')
  await latency
    .getByText(/^At p99 the candidate takes .* The candidate was slower in 4\.1\s% of the exchanges\.$/)
    .waitFor()
  for (const title of [
    'Latency over time, p99',
    'Distribution of latency',
    'Paired difference, candidate − primary',
    'Time in the mirror’s queue',
  ]) {
    await figure(title).scrollIntoViewIfNeeded()
    await figure(title).locator('.plot-holder svg path').first().waitFor({ state: 'attached' })
  }
  // the gate's limit is among the numbers, and if it lies outside the picture, also in words
  await latency.locator('.cell-limit', { hasText: 'limit ≤ 100' }).waitFor()
  await figure('Distribution of latency').getByText('p99 ≤ 100 ms, beyond the scale').waitFor()

  await latency.getByRole('radio', { name: 'p50' }).focus()
  await page.keyboard.press('Space')
  await latency.getByText(/^At p50 the candidate takes/).waitFor()
  await figure('Latency over time, p50').waitFor()
})

test('a chart’s table and downloads contain what it shows', async () => {
  await open('classes')
  const distribution = figure('Distribution of latency')
  await distribution.getByText('Table', { exact: false }).first().click()
  await distribution.getByRole('columnheader', { name: 'Primary share' }).waitFor()
  const csv = await downloaded('CSV: Labels, primary against candidate')
  expect(csv).toContain('kind 0')
  expect(csv.split('\n').length).toBeGreaterThan(labels.length)
  const funnel = await downloaded('SVG: From traffic to evidence')
  // words are placed one by one, as on the page
  for (const word of ['Seen', 'Compared', '960']) expect(funnel).toContain(`>${word}</text>`)
  expect(funnel.match(/<rect/g)!.length).toBeGreaterThan(4)
})

/** Everything drawn except icons, recognised by its element rather than its label. */
const drawings = 'main svg, main .funnel-track, main .duel, main .apart-bar, main .plot-holder'
const unserved = `[...document.querySelectorAll(${JSON.stringify(drawings)})]
  .filter((drawing) => drawing.getBoundingClientRect().width >= 40)
  .filter((drawing) => {
    const home = drawing.closest('.figure, .picture')
    const kinds = [...(home?.querySelectorAll('.download') ?? [])].map((button) => button.textContent).join()
    return !home?.querySelector('table, details.chart-table') || kinds !== 'CSV,SVG,PNG'
  })
  .map((drawing) => drawing.outerHTML.slice(0, 120))`

interface SavedFile {
  /** Its accessible name. */
  button: string
  text: string
}
/** What each button would save, without the browser's save dialog. */
const everyFile = `(async () => {
  const blobs = new Map()
  const make = URL.createObjectURL
  URL.createObjectURL = (blob) => {
    const address = make(blob)
    blobs.set(address, blob)
    return address
  }
  const saving = []
  HTMLAnchorElement.prototype.click = function () {
    saving.push(blobs.get(this.href).text())
  }
  const files = []
  const labelOf = (button) => button.getAttribute('aria-label')
  const buttons = () => [...document.querySelectorAll('.download')]
  // asked of the page each time: new figures may replace a button, and another view all of them
  for (let next; (next = buttons().find((one) => !files.some(({ button }) => button === labelOf(one)))); ) {
    const label = labelOf(next)
    const now = () => buttons().find((one) => labelOf(one) === label)
    const told = () => now()?.closest('.downloads').querySelector('[role=alert]')
    const count = saving.length
    for (let waited = 0; saving.length === count && !told() && now(); waited++) {
      if (waited % 1000 === 0) now().click()
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    if (told()) files.push({ button: label, text: told().textContent })
    else if (saving.length > count) files.push({ button: label, text: await saving.at(-1) })
  }
  const labels = buttons().map(labelOf)
  URL.createObjectURL = make
  delete HTMLAnchorElement.prototype.click
  return { files, labels }
})()`

describe('every chart has a table, and a CSV, an SVG and a PNG with content:', () => {
  let saved = 0
  const worst = async () => {
    const path = '/v1/validations/classes/observations?order=worst&limit=1'
    const { body } = await comparator.call('GET', path, { token: tokens.viewer })
    return `observations/${body.observations[0].id}`
  }

  test.each([
    ['a classification', () => 'validations/classes'],
    ['its further output', () => 'validations/classes?output=price'],
    ['documents', () => 'validations/documents'],
    ['an observation', worst],
  ])('%s', async (_what, addressOf) => {
    const address = await addressOf()
    await page.goto(`${comparator.url}/#/${address}`)
    // changing only the fragment would keep the previous charts
    await page.reload()
    await page.locator('main .downloads').last().waitFor()
    await expect.poll(() => page.locator('.loading').count()).toBe(0)
    expect(await page.evaluate(unserved), address).toEqual([])
    const { files, labels } = await page.evaluate<{ files: SavedFile[]; labels: string[] }>(everyFile)
    expect(new Set(labels).size, address).toBe(labels.length)
    for (const { button, text } of files) {
      if (button.startsWith('CSV')) expect(text.trim().split('\n').length, button).toBeGreaterThan(1)
      else if (button.startsWith('PNG')) expect(text.slice(1, 4), button).toBe('PNG')
      else {
        // on its own background, because in the dark theme its text is nearly white
        expect(text, button).toMatch(/^<svg[^>]* width="[1-9][^>]*><rect[^>]* fill="rgb\(/)
        expect(text, button).toMatch(/<(path|line|circle|rect)[^>]*>.*<\/text>/s)
        expect(text, button).not.toMatch(/ class=| style=|<style|var\(|currentColor|color\(/)
      }
      saved++
    }
  })

  test('these were more than a hundred files', () => expect(saved).toBeGreaterThan(100))
})

test('a chart can be saved before it is painted', async () => {
  await open('classes')
  await page.reload()
  const saving = page.waitForEvent('download')
  await page.evaluate(`
    const paint = requestAnimationFrame
    requestAnimationFrame = (draw) => setTimeout(() => paint(draw), 500)
    const asSoonAsThere = setInterval(() => {
      const button = document.querySelector('.plot-holder ~ .figure-foot [aria-label^=SVG]')
      if (!button) return
      clearInterval(asSoonAsThere)
      button.click()
    })`)
  expect((await saving).suggestedFilename()).toMatch(/\.svg$/)
})

test('a chart is drawn when it comes near the window, and all of them for paper and no wider than it, without moving anything', async () => {
  await open('classes')
  await page.reload()
  await open('classes')
  const holders = page.locator('.plot-holder')
  const undrawn = () => page.locator('.plot-holder:not(:has(svg))').count()
  const height = () => page.evaluate<number>('document.documentElement.scrollHeight')
  const before = await height()
  expect(await undrawn()).toBeGreaterThan(5)
  await holders.last().scrollIntoViewIfNeeded()
  await holders.last().locator('svg').waitFor()
  await page.evaluate("dispatchEvent(new Event('beforeprint'))")
  expect(await undrawn()).toBe(0)
  const widest = () =>
    page.evaluate<number>(
      `Math.max(...[...document.querySelectorAll('svg.plot')].map((svg) => svg.getAttribute('width')))`,
    )
  expect(await widest()).toBe(640)
  await page.evaluate("dispatchEvent(new Event('afterprint'))")
  expect(await widest()).toBeGreaterThan(1000)
  expect(await height()).toBe(before)
})

test('on paper the text of every chart is legible, and no table leaves its card', async () => {
  await open('classes')
  const drawn = await page.evaluate<{ width: number; smallestPx: number }[]>(`(() => {
    dispatchEvent(new Event('beforeprint'))
    return [...document.querySelectorAll('.plot-holder svg.plot')].map((svg) => ({
      width: Number(svg.getAttribute('width')),
      smallestPx: Math.min(...[...svg.querySelectorAll('text')].map((text) => parseFloat(getComputedStyle(text).fontSize))),
    }))
  })()`)
  await page.emulateMedia({ media: 'print' })
  await page.setViewportSize({ width: sheetPx, height: 1000 })
  const held = await page.evaluate<number[]>(
    `[...document.querySelectorAll('.plot-holder:has(svg.plot)')].map((holder) => holder.clientWidth)`,
  )
  expect(held.length).toBeGreaterThan(10)
  expect(held).toHaveLength(drawn.length)
  const lettersPt = drawn.map(({ width, smallestPx }, k) => smallestPx * (held[k]! / width) * 0.75)
  expect(Math.min(...lettersPt)).toBeGreaterThan(7)
  expect(Math.max(...lettersPt)).toBeLessThan(11)
  const leaving = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.figure table')]
      .filter((table) => table.getBoundingClientRect().right > table.closest('.figure').getBoundingClientRect().right)
      .map(({ className }) => className)`,
  )
  expect(leaving).toEqual([])
  await page.emulateMedia({ media: null })
  await page.setViewportSize(viewport)
})

test('on a phone no table of the page has to be scrolled sideways', async () => {
  await page.setViewportSize({ width: 390, height: 800 })
  await open('classes')
  for (const table of ['.size-classes', '.drift-table', '.windows']) await page.locator(table).waitFor()
  const wide = `[...document.querySelectorAll('main .table-scroll')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map((place) => place.getAttribute('aria-label'))`
  expect(await page.evaluate(wide)).toEqual([])
  await page.setViewportSize(viewport)
})

test('at 640 px the latency table has all its columns, and on a phone each figure is below its name', async () => {
  await open('classes')
  const table = page.locator('.latency-table')
  await table.waitFor()
  for (const width of [640, 390]) {
    await page.setViewportSize({ width, height: 800 })
    const beyond = await page.locator('.table-scroll:has(> .latency-table)').evaluate((scroll: any) => {
      return scroll.scrollWidth - scroll.clientWidth
    })
    expect(beyond, `${width} px`).toBe(0)
  }
  expect(await table.locator('tbody tr').first().locator('td').last().getAttribute('data-label')).toBe('mean')
  await page.setViewportSize(viewport)
})

test('sections, a quantile and a dimension have addresses that lead back to them', async () => {
  await open('classes?quantile=p50&by=tenant&at=latency')
  // says where the page is instead, if it is not there
  const placeOf = (id: string) =>
    page.evaluate<string>(
      `(() => {
        const { top } = document.getElementById('${id}').getBoundingClientRect()
        if (top >= 0 && top < 200) return 'at the top'
        const { scrollHeight } = document.documentElement
        return [top, 'px from the top, at', scrollY, 'of', scrollHeight, location.hash, document.activeElement.id].join(' ')
      })()`,
    )
  await expect.poll(() => placeOf('latency')).toBe('at the top')
  await section('latency')
    .getByText(/^At p50 the candidate takes/)
    .waitFor()
  expect(
    await section('slices')
      .getByRole('radio', { name: /^tenant/ })
      .isChecked(),
  ).toBe(true)

  await section('latency').getByRole('radio', { name: 'p99' }).check({ force: true })
  await expect.poll(() => page.url()).toContain('quantile=p99')
  await section('slices').getByRole('radio', { name: /^all/ }).check({ force: true })
  await expect.poll(() => page.url()).not.toContain('by=')

  const link = section('accuracy').getByRole('link', { name: 'Link to Against the truth' })
  await link.focus()
  await expect.poll(() => page.evaluate('getComputedStyle(document.activeElement).opacity')).toBe('1')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toContain('at=accuracy')
  await expect.poll(() => placeOf('accuracy')).toBe('at the top')
  await page.reload()
  await expect.poll(() => placeOf('accuracy')).toBe('at the top')
})

test('each section is one click from the top, any number of times, and is reached by its address', async () => {
  await page.goto('about:blank')
  await open('classes?at=disagreements')
  await section('disagreements').getByTestId('observation').first().waitFor()
  const contents = page.getByRole('navigation', { name: 'On this page' })
  for (const _ of ['once', 'again']) {
    await page.evaluate('scrollTo(0, 0)')
    await contents.getByRole('link', { name: 'Slices' }).click()
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('slices')
    await expect.poll(() => page.evaluate<number>('scrollY')).toBeGreaterThan(1000)
  }
  // the links stay in sight, and neither they nor the range cover what they lead to
  for (const [link, id] of [
    ['Checks', 'checks'],
    ['Latency', 'latency'],
  ] as const) {
    await contents.getByRole('link', { name: link }).click()
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe(id)
    expect((await contents.boundingBox())!.y).toBe(0)
    const uncovered = `(() => {
      const { x, y, height } = document.getElementById('${id}').getBoundingClientRect()
      return document.elementFromPoint(x + 2, y + height / 2)?.id
    })()`
    expect(await page.evaluate(uncovered)).toBe(id)
  }
})

test('classification answers have their confusion matrix, confused pairs, and drift beside the noise floor', async () => {
  await open('classes')
  const outputs = section('outputs')
  const matrix = figure('Labels, primary against candidate')
  await matrix.getByText('160 of 960 differ, 83.3 % agree').waitFor()
  await matrix.scrollIntoViewIfNeeded()
  await matrix.locator('svg').getByText('240', { exact: true }).first().waitFor()
  await figure('Most confused labels')
    .getByRole('row', { name: /kind 0\s+kind 1/ })
    .waitFor()
  const agreement = outputs.getByRole('row', { name: /Agreement on the top label/ })
  expect(await agreement.textContent()).toMatch(/0\.8.*0\.9/)
  await agreement.getByText('beyond noise').waitFor()
  // the same text in the table and above the chart
  const drift = outputs.getByRole('row', { name: /Output drift \(PSI\)/ }).locator('td')
  const index = await drift.first().evaluate((cell: any) => cell.firstChild.textContent)
  await figure('Share of each label').getByText(`PSI ${index}`, { exact: true }).waitFor()
  // 500 points, many of them alike, are counted in hexagons
  const pairs = figure('Top scores, pair by pair')
  await pairs.scrollIntoViewIfNeeded()
  await pairs.locator('.mark-hexagon path').first().waitFor({ state: 'attached' })
  await pairs.getByText('stronger: more exchanges').waitFor()
})

test('another output is shown at its own address', async () => {
  await open('classes')
  await section('outputs').getByRole('link', { name: /price/ }).click()
  await expect.poll(() => page.url()).toContain('output=price')
  await figure('Distribution of values').getByText('share of the PSI').waitFor()
  await figure('Values, pair by pair').waitFor()
  await section('outputs')
    .getByRole('row', { name: /Mean absolute difference/ })
    .getByText('1.0', { exact: false })
    .first()
    .waitFor()
  expect(await figure('Labels, primary against candidate').count()).toBe(0)
})

test('the label of all traffic keeps to its column, even where its line is near the end of the scale', async () => {
  await open('itself')
  await page.setViewportSize({ width: 660, height: 900 })
  const label = section('slices').locator('.overall-label')
  await label.scrollIntoViewIfNeeded()
  const beyond = await label.evaluate(
    (text: any) => text.getBoundingClientRect().right - text.parentElement.getBoundingClientRect().right,
  )
  await page.setViewportSize(viewport)
  expect(beyond).toBeLessThanOrEqual(0)
})

test('slices are listed worst first, only those beyond chance are called worse, and choosing one filters the page', async () => {
  await open('classes')
  const slices = section('slices')
  const rows = slices.locator('tbody tr')
  await expect.poll(() => rows.first().textContent()).toContain(hostile)
  expect(await rows.first().textContent()).toContain('worse')
  await slices.getByText(/^Of \d+ slices with enough evidence, \d+ (is|are) worse than all traffic’s 0\.83/).waitFor()
  expect(await slices.getByRole('row', { name: /^acme/ }).textContent()).not.toContain('worse')
  expect(await slices.locator('img').count()).toBe(0)

  await slices.getByRole('link', { name: 'acme' }).click()
  await expect.poll(() => page.url()).toContain('slice=tenant')
  await figure('Labels, primary against candidate').getByText('0 of 640 differ').waitFor()
  await page.getByRole('link', { name: 'Show all traffic' }).first().click()
  await figure('Labels, primary against candidate').getByText('160 of 960 differ').waitFor()

  // the choice is shown at once, and the figures of the one before it as such
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/slices?*p95*', async (route) => {
    await held
    await route.continue()
  })
  const metric = slices.getByLabel('Metric')
  const asked = page.waitForRequest('**/slices?*p95*')
  await metric.selectOption('latency.candidate.p95')
  await asked
  expect(await metric.inputValue()).toBe('latency.candidate.p95')
  expect(await slices.getAttribute('aria-busy')).toBe('true')
  release()
  await expect.poll(() => page.url()).toContain('metric=latency.candidate.p95')
  await slices.getByText('lower is better').waitFor()
  expect(await slices.getAttribute('aria-busy')).toBe('false')
  await page.unroute('**/slices?*p95*')
})

test('where labels have arrived, both sides are compared with the truth, and missing labels are counted', async () => {
  await open('classes')
  const accuracy = section('accuracy')
  await accuracy.getByText('480 of 960 exchanges are labelled; 480 labels are still missing (50 %)').waitFor()
  await accuracy
    .getByText(/^Only one side was right in 80 labelled exchanges: the candidate in 0 .*p <\s0\.0001/)
    .waitFor()
  expect(await accuracy.getByRole('row', { name: /^primary/ }).textContent()).toContain('1')
  await figure('Labels, by the exchange’s time').waitFor()
})

test('answers of several rows too, with the truth beside each row', async () => {
  await open('batches')
  const accuracy = section('accuracy')
  await accuracy.getByText('479 of 960 exchanges are labelled; 480 labels are still missing (50 %)').waitFor()
  await accuracy
    .getByText('1 exchange could not be compared with its label, which has a different number of rows')
    .waitFor()
  expect(await accuracy.getByRole('row', { name: /^candidate − primary/ }).textContent()).toContain('−0.500')
  await page.goto(`${comparator.url}/#/validations/batches/observations?order=worst`)
  // the previous page has such rows and links too
  await page.getByRole('heading', { level: 1, name: 'Observations' }).waitFor()
  await page.getByText('cat, dog, –').first().waitFor()
  await page
    .getByRole('link', { name: /^Observation of/ })
    .first()
    .click()
  await page.getByRole('cell', { name: 'different label; truth: dog' }).waitFor()
})

test('documents show where they differ, and have no accuracy section, since labels cannot judge them', async () => {
  await open('documents')
  await figure('Where documents differ').getByRole('row', { name: '/items/*/price 25.0 %' }).waitFor()
  await figure('Share of fields equal, pair by pair').waitFor()
  await figure('Distribution of fields per answer').waitFor()
  // both sides always have equally many fields, so nothing links them
  const links = figure('Drift, bin by bin').locator('.mark-link line')
  // printing captures the page as it is, and this figure may still be loading
  const printed = async () => {
    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    return links.count()
  }
  await expect.poll(printed).toBeGreaterThan(0)
  for (const link of await links.all()) expect(await link.getAttribute('x1')).toBe(await link.getAttribute('x2'))
  expect(await section('accuracy').count()).toBe(0)
})

test('over a range without data each section says what it is waiting for', async () => {
  await open('classes?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z')
  for (const words of [
    'No latency in this range',
    'No answers in this range',
    'No slice in this range',
    'No labels in this range',
  ]) {
    await page.getByText(words).waitFor()
  }
})

test.each(['light', 'dark'] as const)(
  'axe finds nothing in the %s theme, wide or narrow, and nothing scrolls sideways',
  async (colorScheme) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 900 })
      for (const address of ['classes', 'documents']) {
        await open(address)
        const sections = ['latency', 'outputs', 'slices', ...(address === 'classes' ? ['accuracy'] : [])]
        const within = sections.map((section) => `section[aria-labelledby=${section}]`)
        expect(await pageFindings(page, { colorScheme, within }), `${address} at ${width} px`).toEqual([])
        const wide = await page.evaluate(`[...document.querySelectorAll('.evidence-page > section')]
          .filter((section) => section.scrollWidth > section.clientWidth)
          .map((section) => section.getAttribute('aria-labelledby'))`)
        expect(wide, `${address} at ${width} px scrolls sideways`).toEqual([])
      }
    }
    await page.setViewportSize({ width: 1280, height: 900 })
  },
)

test('the pages threw nothing and broke no policy', async () => {
  expect(pageErrors).toEqual([])
  expect(await page.title()).not.toBe('1')
})
