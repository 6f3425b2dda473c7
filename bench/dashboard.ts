import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import type { Bench, BenchSurroundings } from './bench.ts'
import { launchBrowser, signIn } from './dashboard/browser.ts'
import { checkWithAxe } from './dashboard/check-with-axe.ts'
import { describeDashboard, type MeasuredDashboard } from './dashboard/describe.ts'
import { type FirstView, measureFirstView, type Page } from './dashboard/measure-first-view.ts'
import { type DashboardPlan, dashboardPlan } from './dashboard/plan.ts'
import { devices, runLighthouse } from './dashboard/run-lighthouse.ts'
import { startMonth } from './dashboard/start-month.ts'
import { viewsOf } from './dashboard/views.ts'
import { kinds, validationOf } from './gate/plan.ts'
import { machineLine } from './processes/machine.ts'
import { tokens } from './showcase/people.ts'
import { startEmpty, startShowcase } from './showcase/start-showcase.ts'

const assets = join(import.meta.dirname, '../comparator/dashboard/dist/assets')

/** How soon is the dashboard usable after 10⁷ observations, how much does it load, and can everyone use it? */
export const dashboard: Bench = {
  name: 'dashboard',
  async run(around: BenchSurroundings) {
    const plan = dashboardPlan(around.quick)
    const machine = machineLine()
    const browser = await launchBrowser()
    try {
      const month = await measureMonth(around, plan, browser)
      const axe = await lookAtEveryView(around, plan, browser)
      return describeDashboard({ plan, machine, axe, ...month, script: scriptBytes() })
    } finally {
      await browser.close()
    }
  },
}

async function measureMonth(
  { children, directory, progress }: BenchSurroundings,
  plan: DashboardPlan,
  browser: Browser,
): Promise<Pick<MeasuredDashboard, 'firstViews' | 'lighthouse'>> {
  const validations = kinds.map((kind) => ({ ...validationOf(kind, plan.size), name: kind }))
  const comparator = await startMonth(`embedded:${join(directory, 'month')}`, validations, plan.size)
  try {
    progress('a month is there')
    const pages = pagesOf(validations.map(({ name }) => name))
    const firstViews = []
    for (const page of pages) {
      const views: FirstView[] = []
      for (let i = -1; i < plan.repeats; i++) {
        const view = await measureFirstView(browser, comparator.url, page)
        if (i >= 0) views.push(view)
      }
      firstViews.push({ page: page.name, views })
      progress(`${page.name}: first view measured`)
    }
    const cookie = await signIn(comparator.url, tokens.ana)
    const lighthouse: MeasuredDashboard['lighthouse'] = []
    for (const { name, path } of pages.slice(0, 2)) {
      for (const device of devices) {
        const runs = []
        for (let i = -1; i < plan.lighthouseRuns; i++) {
          const page = { name, url: `${comparator.url}/${path}`, cookie }
          const scores = await runLighthouse(children, directory, page, device)
          if (i >= 0) runs.push(scores)
        }
        lighthouse.push({ page: name, device, runs })
        progress(`${name}: Lighthouse has looked, ${device}`)
      }
    }
    return { firstViews, lighthouse }
  } finally {
    await comparator.stop()
  }
}

function pagesOf(validations: string[]): Page[] {
  return [
    { name: 'overview', path: '#/', first: ['.row .spark-line'], whole: ['.row .spark-line'] },
    ...validations.map((name) => ({
      name,
      path: `#/validations/${name}`,
      first: ['.banner-verdict .reason', 'tr.check'],
      // charts are drawn only when they come near the viewport
      whole: ['section[aria-labelledby=latency] .plot-holder', 'section[aria-labelledby=slices] tbody tr'],
    })),
  ]
}

async function lookAtEveryView({ directory, progress }: BenchSurroundings, plan: DashboardPlan, browser: Browser) {
  const showcase = await startShowcase(directory)
  const empty = await startEmpty(directory)
  try {
    progress('all views are filled')
    const urls = { showcase: showcase.url, empty: empty.url }
    return await checkWithAxe(browser, urls, await viewsOf(showcase.url), plan.widths)
  } finally {
    await Promise.all([showcase.stop(), empty.stop()])
  }
}

function scriptBytes(): MeasuredDashboard['script'] {
  const sum = (ending: string) =>
    readdirSync(assets)
      .filter((name) => name.endsWith(ending))
      .reduce((all, name) => all + statSync(join(assets, name)).size, 0)
  return { gzip: sum('.js.gz'), brotli: sum('.js.br') }
}
