import type { Browser } from 'playwright-core'
import { tokens } from '../showcase/people.ts'
import { giveCookie } from './browser.ts'

export interface Page {
  name: string
  /** Path after the comparator's URL. */
  path: string
  /** Elements that must be drawn for the first view to be usable. */
  first: string[]
  /** Further elements that must be there for the page to be complete. */
  whole: string[]
}

export interface FirstView {
  firstMs: number
  wholeMs: number
  /** The largest API response as transferred, and its path. */
  answer: { bytes: number; path: string }
}

const viewport = { width: 1440, height: 900 }

interface DrawnAt {
  first?: number
  whole?: number
}
// these functions run only in a browser
declare const window: { drawnAt: DrawnAt }
declare const document: { querySelector(selector: string): unknown }
declare const requestAnimationFrame: (draw: () => void) => void
declare const MutationObserver: new (look: () => void) => { observe(target: unknown, changes: object): void }

/**
 * Runs in the page, because this process also runs a comparator. Records when each set of elements has been drawn, in
 * ms after navigation started.
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

/** Loads the URL in a fresh browser and measures until the view is visible. */
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
