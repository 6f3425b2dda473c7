import type { Browser } from 'playwright-core'
import { tokens } from '../showcase/people.ts'
import { giveCookie } from './browser.ts'

export interface Page {
  name: string
  /** What follows the comparator's own address. */
  path: string
  /** What must be drawn for the first view to stand. */
  first: string[]
  /** What must be there besides for the page to be whole. */
  whole: string[]
}

export interface FirstView {
  firstMs: number
  wholeMs: number
  /** Of the greatest answer of the API, as sent, and which one. */
  answer: { bytes: number; path: string }
}

const viewport = { width: 1440, height: 900 }

interface DrawnAt {
  first?: number
  whole?: number
}
// of a browser, where alone these functions run
declare const window: { drawnAt: DrawnAt }
declare const document: { querySelector(selector: string): unknown }
declare const requestAnimationFrame: (draw: () => void) => void
declare const MutationObserver: new (look: () => void) => { observe(target: unknown, changes: object): void }

/**
 * In the page itself, since this process has a comparator to run too: when each set of elements has been drawn, in ms
 * since the address was asked for.
 */
function noteWhenDrawn({ first, whole }: { first: string[]; whole: string[] }): void {
  const drawnAt: DrawnAt = {}
  window.drawnAt = drawnAt
  const areThere = (selectors: string[]) => selectors.every((selector) => document.querySelector(selector))
  const note = (step: 'first' | 'whole') =>
    requestAnimationFrame(() => {
      drawnAt[step] ??= performance.now()
    })
  const look = () => {
    if (drawnAt.first === undefined && areThere(first)) note('first')
    const isLoading = document.querySelector('.loading, [aria-busy=true]') !== null
    if (drawnAt.whole === undefined && !isLoading && areThere([...first, ...whole])) note('whole')
  }
  const changes = { subtree: true, childList: true, attributeFilter: ['aria-busy'] }
  new MutationObserver(look).observe(document, changes)
}

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
    await context.addInitScript(noteWhenDrawn, { first: page.first, whole: page.whole })
    await tab.goto(`${url}/${page.path}`, { waitUntil: 'commit' })
    const noted = await tab.waitForFunction(() => ('whole' in window.drawnAt ? window.drawnAt : null))
    const { first: firstMs, whole: wholeMs } = (await noted.jsonValue()) as Required<DrawnAt>
    const known = (await Promise.all(sizes)).filter((size) => size !== null)
    return { firstMs, wholeMs, answer: known.reduce((a, b) => (b.bytes > a.bytes ? b : a)) }
  } finally {
    await context.close()
  }
}
