import { setTimeout as wait } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
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
import { evidence } from './support/promotions.ts'

const validations = [
  { ...classification, name: 'steady' },
  { ...classification, name: 'quiet', window: { duration: '60s', samplesMin: 10, coverageMin: 0.9 } },
  { ...classification, name: 'nothing' },
  { ...regression, name: 'huge', gate: [{ metric: 'mae', min: 0, max: 1_234_567_890_123 }] },
]

let comparator: TestComparator
let browser: Browser
let context: BrowserContext

beforeAll(async () => {
  comparator = await startTestComparator(validations)
  await comparator.post(evidence('steady', { wrong: 0.02 }))
  await comparator.post(evidence('quiet', { until: Date.now() - 10 * 60_000 }))
  browser = await launchBrowser()
  context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    timezoneId: 'Asia/Tokyo',
  })
  await context.request.post(`${comparator.url}/v1/session`, { data: { token: tokens.viewer } })
})
afterAll(async () => {
  await browser?.close()
  await comparator?.close()
})

async function opened(address: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${comparator.url}/${address}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  return page
}

test.each([-3, 3])('a browser whose clock is %d hours off shows ages by the comparator’s clock', async (hours) => {
  const page = await context.newPage()
  await page.clock.setFixedTime(Date.now() + hours * 3_600_000)
  await page.goto(`${comparator.url}/#/validations/quiet`)
  await page.locator('.age', { hasText: /^stale1\d\smin ago$/ }).waitFor()
  await page.close()
})

test.each(['slice=tenant%3Dgone', 'output=gone'])(
  'an address with %s that is no longer configured says so beside the verdict, and leads back',
  async (query) => {
    const page = await opened(`#/validations/steady?${query}`)
    await page.getByText('There is no evidence at this address').waitFor()
    await page.getByTestId('verdict').getByText('Pass').waitFor()
    await page.locator('[aria-labelledby=disagreements] tbody tr').first().waitFor()
    expect(await page.getByText('not being updated').count()).toBe(0)
    // the refusal goes with its question, not only when the next one is answered or given up after 15 s
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route(
      ({ pathname, search }) => pathname.endsWith('/metrics') && !search.includes('gone'),
      async (route) => {
        await held
        await route.continue()
      },
    )
    await page.getByRole('link', { name: 'Show everything the gate judges' }).click()
    const refusal = page.getByText('There is no evidence at this address')
    await refusal.waitFor({ state: 'detached', timeout: 10_000 })
    release()
    await course(page).waitFor()
    expect(page.url()).not.toContain('gone')
    await page.close()
  },
)

const course = (page: Page) => page.locator('section[aria-labelledby=over-time] figure').first()

test('the page has a strict policy, and files with a hash in their name are cached for ever', async () => {
  const page = await fetch(comparator.url)
  const policy = page.headers.get('content-security-policy')!
  expect(policy).toContain("default-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toMatch(/unsafe|data:|\*|https?:/)
  expect(page.headers.get('x-content-type-options')).toBe('nosniff')
  expect(page.headers.get('cache-control')).toBe('no-cache')
  const assets = [...(await page.text()).matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+)"/g)].map((match) => match[1]!)
  expect(assets.length).toBeGreaterThan(1)
  for (const asset of assets) {
    const { headers, status } = await fetch(`${comparator.url}/${asset}`)
    expect(status, asset).toBe(200)
    expect(headers.get('cache-control'), asset).toBe('public, max-age=31536000, immutable')
    expect(headers.get('content-security-policy'), asset).toBe(policy)
  }
})

/**
 * A page whose address changes just before it begins to listen for changes. From then on painting is slow, so that the
 * answer to an earlier request arrives before the page makes another.
 */
async function movedUnheard(where: BrowserContext, address: string): Promise<Page> {
  const page = await where.newPage()
  await page.addInitScript(`
    const listen = addEventListener
    let isMoved = false
    globalThis.addEventListener = (type, ...rest) => {
      if (type === 'hashchange' && !isMoved) {
        isMoved = true
        history.replaceState(null, '', '${address}')
        const later = setTimeout
        globalThis.setTimeout = (call, ms = 0, ...rest) => later(call, ms + 300, ...rest)
        globalThis.requestAnimationFrame = (call) => setTimeout(call)
      }
      listen(type, ...rest)
    }`)
  await page.goto(comparator.url)
  return page
}

test('an address that changed before the page listened is followed', async () => {
  const page = await movedUnheard(context, '#/validations/steady')
  await page.getByRole('heading', { level: 1, name: 'steady' }).waitFor()
  await page.close()
})

test('a token in an address that changed before the page listened signs in, and does not stay there', async () => {
  const anonymous = await browser.newContext()
  await anonymous.route('**/v1/session', async (route) => {
    if (route.request().method() === 'POST') await wait(1000)
    await route.continue()
  })
  const page = await movedUnheard(anonymous, `#token=${tokens.viewer}`)
  await page.getByRole('link', { name: 'steady' }).first().waitFor()
  expect(page.url()).not.toContain(tokens.viewer)
  await anonymous.close()
})

test('a page has its title as soon as it is there, for those who hear it', async () => {
  const page = await opened('#/')
  await page.evaluate(`void new MutationObserver((_changes, observer) => {
    if (document.querySelector('h1')?.textContent !== 'Audit') return
    observer.disconnect()
    globalThis.titledFirst = document.title
  }).observe(document.body, { childList: true, subtree: true, characterData: true })`)
  await page.getByRole('link', { name: 'Audit' }).click()
  await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor()
  expect(await page.evaluate('titledFirst')).toBe('Audit · Understudy')
  await page.close()
})

test('an injected script does not run', async () => {
  const page = await opened('#/')
  const stopped = await page.evaluate(`new Promise((resolve) => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective }) => resolve(violatedDirective))
    const script = document.createElement('script')
    script.textContent = 'globalThis.ran = true'
    document.body.append(script)
  })`)
  expect(stopped).toMatch(/^script-src/)
  expect(await page.evaluate('globalThis.ran ?? null')).toBeNull()
  await page.close()
})

test('an unchanged answer leaves charts and the tooltip alone, which also shows the reader’s local time', async () => {
  const page = await opened('#/validations/steady')
  const chart = course(page).locator('svg.plot')
  await page.getByRole('heading', { name: 'Drift over time' }).waitFor()
  await course(page).scrollIntoViewIfNeeded()
  await chart.waitFor()
  const tip = chart.locator('[aria-label=tip]').getByText(/samples/)
  await expect
    .poll(async () => {
      const box = (await chart.boundingBox())!
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
      await page.mouse.move(box.x + box.width / 2 + 3, box.y + box.height / 2)
      return tip.count()
    })
    .toBe(1)
  await chart.evaluate((element) => Object.assign(element, { isTheSame: true }))
  for (let polls = 0; polls < 2; polls++) {
    await page.waitForResponse((response) => new URL(response.url()).pathname.endsWith('/metrics'))
  }
  expect(await chart.evaluate((element) => 'isTheSame' in element)).toBe(true)
  expect(await tip.count()).toBe(1)
  expect(await chart.locator('[aria-label=tip]').textContent()).toMatch(/UTC.*GMT\+9, your time/s)
  await page.close()
})

test('checks with thirteen-digit numbers fit the page at any width at which they are a table', async () => {
  const until = Date.now() - 1000
  await comparator.post(
    Array.from({ length: 350 }, (_, i) =>
      observation({
        validation: 'huge',
        at: until - i * 160,
        primary: { prediction: 1e12 },
        candidate: { prediction: 1e12 + (i % 7) * 2e11 },
      }),
    ),
  )
  const page = await opened('#/validations/huge')
  await page.setViewportSize({ width: 1056, height: 900 })
  await page.getByTestId('check-mae').getByText(' to ').waitFor()
  expect(
    await page.locator('.checks').evaluate((table: any) => table.scrollWidth - table.parentElement.clientWidth),
  ).toBe(0)
  await page.close()
})

test('bars, and what is chosen, can be told in a reader’s own colours', async () => {
  const page = await opened('#/validations/steady/observations')
  await page.emulateMedia({ forcedColors: 'active' })
  await page.locator('.segments').first().waitFor()
  const backgroundOf = (selector: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).backgroundColor`)
  expect(await backgroundOf('.segments a[aria-current]')).not.toBe(
    await backgroundOf('.segments a:not([aria-current])'),
  )
  await page.goto(`${comparator.url}/#/validations/steady`)
  await page.locator('.funnel-bar').first().waitFor()
  expect(await backgroundOf('.meter-fill')).not.toBe(await backgroundOf('.meter-bar'))
  expect(await backgroundOf('.funnel-bar')).not.toBe(await backgroundOf('body'))
  await page.goto(`${comparator.url}/#/mirrors`)
  const nav = page.getByRole('navigation', { name: 'Pages' })
  await nav.locator('[aria-current]', { hasText: 'Mirrors' }).waitFor()
  const underlined =
    '[...document.querySelectorAll("nav a")].filter((a) => getComputedStyle(a).borderBottomWidth !== "0px").length'
  expect(await page.evaluate(underlined)).toBe(1)
  await page.close()
})

test('a slice with a long name leaves the other filters beside it', async () => {
  const page = await opened(`#/validations/steady/observations?slice=tenant%3D${'x'.repeat(120)}`)
  const boxes = [page.getByLabel('Slice'), page.getByLabel('Outcome')].map((filter) => filter.boundingBox())
  const [slice, outcome] = await Promise.all(boxes)
  expect(outcome).toMatchObject({ y: slice!.y })
  await page.close()
})

test('a skeleton appears after 200 ms and not before', async () => {
  const page = await context.newPage()
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/v1/validations/steady', async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${comparator.url}/#/validations/steady`)
  const loading = page.locator('.loading').first()
  await loading.waitFor()
  const opacityAt = (ms: number) =>
    page.evaluate(`(() => {
      const element = document.querySelector('.loading')
      // begun anew: on a busy machine the first may be over
      element.style.animationName = 'none'
      element.getAnimations()
      element.style.animationName = ''
      const [animation] = element.getAnimations()
      animation.pause()
      animation.currentTime = ${ms}
      return getComputedStyle(element).opacity
    })()`)
  expect(await opacityAt(199)).toBe('0')
  expect(await opacityAt(202)).toBe('1')
  release()
  await loading.waitFor({ state: 'detached' })
  await page.close()
})

function lookOf(element: unknown): string {
  const style = (globalThis as any).getComputedStyle(element)
  return ['fontStyle', 'color', 'backgroundColor', 'borderTopStyle'].map((name) => style[name]).join()
}

test('a page for signing in that a proxy sends in place of an answer is not called an unreachable comparator', async () => {
  const page = await opened('#/')
  await page.route('**/v1/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><h1>Sign in' }),
  )
  const problem = page.locator('.refresh-problem').first()
  await problem.getByText(/Something other than the comparator answered/).waitFor()
  expect(await page.getByText('cannot be reached').count()).toBe(0)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await problem.waitFor({ state: 'detached' })
  await page.close()
})

test('zero, no data, stale and failed look different', async () => {
  const page = await opened('#/')
  const row = (name: string) => page.locator('.row', { has: page.getByRole('heading', { name, exact: true }) })
  const zero = row('quiet').locator('.figure-main', { hasText: /^0\s*\/min$/ })
  const none = row('nothing').locator('.figure-main.no-data').first()
  const stale = row('quiet').locator('.stale-tag').first()
  for (const picture of [zero, none, stale]) await picture.waitFor()
  await page.route('**/v1/**', (route) => route.abort())
  const failed = page.locator('.refresh-problem').first()
  await failed.waitFor()
  const looks = await Promise.all([zero, none, stale, failed].map((picture) => picture.evaluate(lookOf)))
  expect(new Set(looks).size).toBe(4)
  expect(await none.textContent()).toBe('no data')
  expect(await stale.textContent()).toBe('stale')
  expect(await failed.textContent()).toContain('This page is not being updated.')
  await page.close()
})
