import type { Browser } from 'playwright-core'
import { tokens } from '../showcase/people.ts'
import { giveCookie } from './browser.ts'

export interface Page {
  name: string
  /** What follows the comparator's own address. */
  path: string
  /** What must be drawn for the first view to stand. */
  first: string[]
  /** What must be drawn for the page to be whole. */
  whole: string[]
}

export interface FirstView {
  firstMs: number
  wholeMs: number
  /** Of the greatest answer of the API, as sent, and which one. */
  answer: { bytes: number; path: string }
}

const viewport = { width: 1440, height: 900 }

/** From asking for the address, in a browser that has never been there, to what a person then sees. */
export async function measureFirstView(browser: Browser, url: string, page: Page): Promise<FirstView> {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce' })
  try {
    await giveCookie(context, url, tokens.ana)
    const tab = await context.newPage()
    const sizes: Promise<FirstView['answer'] | null>[] = []
    tab.on('requestfinished', (request) => {
      const { pathname } = new URL(request.url())
      if (!pathname.startsWith('/v1/')) return
      const size = request.sizes().then(({ responseBodySize }) => ({ bytes: responseBodySize, path: pathname }))
      sizes.push(size.catch(() => null))
    })
    const startedAt = performance.now()
    await tab.goto(`${url}/${page.path}`, { waitUntil: 'commit' })
    const drawn = (selectors: readonly string[]) =>
      Promise.all(selectors.map((selector) => tab.locator(selector).first().waitFor()))
    await drawn(page.first)
    const firstMs = performance.now() - startedAt
    await drawn(page.whole)
    await tab.locator('.loading, [aria-busy=true]').first().waitFor({ state: 'detached' })
    const wholeMs = performance.now() - startedAt
    const known = (await Promise.all(sizes)).filter((size) => size !== null)
    return { firstMs, wholeMs, answer: known.reduce((a, b) => (b.bytes > a.bytes ? b : a)) }
  } finally {
    await context.close()
  }
}
