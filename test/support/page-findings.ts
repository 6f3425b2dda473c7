import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { axeViolations } from '../../bench/dashboard/axe-violations.ts'

/** The only axe rules that a theme affects; the others are checked in the light theme. */
const rulesOfColour = ['color-contrast', 'link-in-text-block']

/** Visible charts whose width does not fit their place yet: they follow a new width with a delay. */
const misfits = `[...document.querySelectorAll('.plot-holder')].filter((holder) => {
  const { top, bottom } = holder.getBoundingClientRect()
  const chart = holder.querySelector('svg')
  return bottom > 0 && top < innerHeight && chart && Math.abs(chart.getAttribute('width') - holder.clientWidth) > 1
}).length`

/** Words in a place so narrow that their letters are stacked. */
const stacked = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  const found = []
  while (texts.nextNode()) {
    range.selectNodeContents(texts.currentNode)
    const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
    const text = texts.currentNode.data.trim()
    if (lines > 2 && lines > text.length / 3) found.push(text)
  }
  return found
})()`

/**
 * Waits until the charts fit, then returns what axe finds (the first place for each rule), words with stacked letters,
 * and how far the page scrolls sideways.
 */
export async function pageFindings(
  page: Page,
  { colorScheme = 'light', within = [] }: { colorScheme?: 'light' | 'dark'; within?: readonly string[] } = {},
): Promise<string[]> {
  await expect.poll(() => page.evaluate(misfits)).toBe(0)
  const violations = await axeViolations(page, {
    within,
    // listing passed nodes takes axe a third of its time
    resultTypes: ['violations'],
    ...(colorScheme === 'dark' && { runOnly: { type: 'rule', values: rulesOfColour } }),
  })
  const letters = await page.evaluate<string[]>(stacked)
  const sideways = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  return [
    ...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}\n${nodes[0]?.failureSummary}`),
    ...letters.map((text) => `letter under letter: ${text}`),
    ...((sideways as number) > 0 ? [`scrolls ${sideways} px sideways`] : []),
  ]
}
