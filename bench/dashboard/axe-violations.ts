import axe, { type Result, type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * Runs axe on the page as it is now, `within` these selectors or everywhere. axe is injected only once per page: with
 * @axe-core/playwright, which also opens a page of its own to merge results, a check took seven times as long. Frames
 * would be skipped, so a page with frames throws.
 */
export async function axeViolations(
  page: Page,
  { within = [], ...options }: Pick<RunOptions, 'resultTypes' | 'runOnly'> & { within?: readonly string[] } = {},
): Promise<Result[]> {
  if (page.frames().length > 1) throw new Error('axe would leave out the frames of this page')
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(`${axe.source}\n;undefined`)
  const where = within.length === 0 ? 'document' : JSON.stringify({ include: within.map((place) => [place]) })
  // no default rule needs the style sheets that axe would load again
  const how = JSON.stringify({ preload: false, ...options })
  return page.evaluate(`axe.run(${where}, ${how}).then(({ violations }) => violations)`)
}
