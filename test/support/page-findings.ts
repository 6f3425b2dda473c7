import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { axeViolations } from '../../bench/dashboard/axe-violations.ts'

/** All that a theme can change for axe; the rest is looked at in the light one. */
const rulesOfColour = ['color-contrast', 'link-in-text-block']

/** Of the charts in sight those that are not as wide as their place: they follow a new width a little later. */
const misfits = `[...document.querySelectorAll('.plot-holder')].filter((holder) => {
  const { top, bottom } = holder.getBoundingClientRect()
  const chart = holder.querySelector('svg')
  return bottom > 0 && top < innerHeight && chart && Math.abs(chart.getAttribute('width') - holder.clientWidth) > 1
}).length`

/** Words in a place so narrow that they stand letter under letter. */
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
 * Once its charts fit: what axe finds, of each rule the first place; words written letter under letter; and how far the
 * page scrolls sideways.
 */
export async function pageFindings(
  page: Page,
  { colorScheme = 'light', within = [] }: { colorScheme?: 'light' | 'dark'; within?: readonly string[] } = {},
): Promise<string[]> {
  await expect.poll(() => page.evaluate(misfits)).toBe(0)
  const violations = await axeViolations(page, {
    within,
    // what is right is not listed by node, which takes axe a third of its time
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
