import axe, { type Result, type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * What axe finds on a page as it is now, `within` these places or anywhere. A page gets axe once, not for each look: with
 * @axe-core/playwright, which also opens a page of its own to add up, a look took seven times as long. Frames would be
 * left out, so a page with some throws.
 */
export async function axeViolations(
  page: Page,
  { within = [], ...options }: Pick<RunOptions, 'resultTypes' | 'runOnly'> & { within?: readonly string[] } = {},
): Promise<Result[]> {
  if (page.frames().length > 1) throw new Error('axe would leave out the frames of this page')
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(`${axe.source}\n;undefined`)
  const where = within.length === 0 ? 'document' : JSON.stringify({ include: within.map((place) => [place]) })
  // no rule that is on by default reads the style sheets that axe would load anew
  const how = JSON.stringify({ preload: false, ...options })
  return page.evaluate(`axe.run(${where}, ${how}).then(({ violations }) => violations)`)
}
