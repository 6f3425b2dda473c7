import type { Page } from 'playwright-core'
import { axeViolations } from '../../bench/dashboard/axe-violations.ts'

/** All that a theme can change for axe; the rest is looked at in the light one. */
const rulesOfColour = ['color-contrast', 'link-in-text-block']

/** What axe finds, of each rule the first place; and how far the page scrolls sideways. */
export async function pageFindings(
  page: Page,
  { colorScheme = 'light', within = [] }: { colorScheme?: 'light' | 'dark'; within?: readonly string[] } = {},
): Promise<string[]> {
  const violations = await axeViolations(page, {
    within,
    // what is right is not listed by node, which takes axe a third of its time
    resultTypes: ['violations'],
    ...(colorScheme === 'dark' && { runOnly: { type: 'rule', values: rulesOfColour } }),
  })
  const sideways = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  return [
    ...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}\n${nodes[0]?.failureSummary}`),
    ...((sideways as number) > 0 ? [`scrolls ${sideways} px sideways`] : []),
  ]
}
