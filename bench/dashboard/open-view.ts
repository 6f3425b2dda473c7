import type { BrowserContext, Page } from 'playwright-core'
import { tokens } from '../showcase/people.ts'
import { moment } from '../showcase/start-showcase.ts'
import { giveCookie, settled } from './browser.ts'
import { patienceMs } from './plan.ts'
import type { View } from './views.ts'

/**
 * Opens the view as a user sees it at the showcase's moment, with every chart drawn (as after printing). The caller
 * performs the view's `act`.
 */
export async function openView(context: BrowserContext, url: string, view: View): Promise<Page> {
  if (view.as !== null) await giveCookie(context, url, tokens[view.as])
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  await page.clock.setFixedTime(moment)
  await page.goto(`${url}/${view.path}`)
  await settled(page)
  await page.evaluate("dispatchEvent(new Event('beforeprint')), dispatchEvent(new Event('afterprint'))")
  return page
}
