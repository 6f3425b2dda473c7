import { median } from 'simple-statistics'
import type { BenchResult } from '../bench.ts'
import { spreadOf } from '../report/spread.ts'
import { figure, markdownTable, met, spreadFigure } from '../report/table.ts'
import type { AxeFindings } from './check-with-axe.ts'
import type { FirstView } from './measure-first-view.ts'
import {
  accessibilityMin,
  answerBytesMax,
  type DashboardPlan,
  firstViewMaxMs,
  lighthouseVersion,
  performanceMin,
  scriptBytesMax,
} from './plan.ts'
import { type Device, devices, type LighthouseScores } from './run-lighthouse.ts'

export interface MeasuredDashboard {
  plan: DashboardPlan
  machine: string
  axe: AxeFindings
  firstViews: { page: string; views: FirstView[] }[]
  lighthouse: { page: string; device: Device; runs: LighthouseScores[] }[]
  /** Total bytes of all scripts. */
  script: { gzip: number; brotli: number }
}

const deviceWords: Record<Device, string> = { desktop: 'on a computer', mobile: 'on a phone' }
const kilobytes = (bytes: number) => `${figure(bytes / 1000)} KB`

export function describeDashboard(measured: MeasuredDashboard): BenchResult {
  const { plan, axe, firstViews, lighthouse, script } = measured
  const worstFirst = Math.max(...firstViews.map(({ views }) => median(views.map(({ firstMs }) => firstMs))))
  const greatest = firstViews
    .flatMap(({ views }) => views.map(({ answer }) => answer))
    .reduce((a, b) => (b.bytes > a.bytes ? b : a))
  const worstOn = (wanted: Device) =>
    Math.min(
      ...lighthouse
        .filter(({ device }) => device === wanted)
        .map(({ runs }) => median(runs.map(({ performance }) => performance))),
    )
  const scores = { desktop: worstOn('desktop'), mobile: worstOn('mobile') }
  const worstAccess = Math.min(...lighthouse.flatMap(({ runs }) => runs.map(({ accessibility }) => accessibility)))
  const goals: [goal: string, got: string, isMet: boolean][] = [
    [`first view ≤ ${firstViewMaxMs / 1000} s, all pages`, `${figure(worstFirst)} ms`, worstFirst <= firstViewMaxMs],
    [`each answer ≤ ${kilobytes(answerBytesMax)}`, kilobytes(greatest.bytes), greatest.bytes <= answerBytesMax],
    [`JavaScript ≤ ${kilobytes(scriptBytesMax)} in gzip`, kilobytes(script.gzip), script.gzip <= scriptBytesMax],
    ...devices.map((device): (typeof goals)[number] => [
      `Lighthouse: performance ≥ ${performanceMin}, ${deviceWords[device]}`,
      String(scores[device]),
      scores[device] >= performanceMin,
    ]),
    [`Lighthouse: accessibility ${accessibilityMin}`, String(worstAccess), worstAccess >= accessibilityMin],
    [
      'axe finds nothing in any view, both themes',
      `${axe.violations.length} on ${axe.pages} pages`,
      axe.violations.length === 0,
    ],
  ]
  const accessibilityFailed = [...new Set(lighthouse.flatMap(({ runs }) => runs.flatMap(({ failed }) => failed)))]
  const markdown = `## How soon is the dashboard there, and for whom?

**In short:** The slowest page has its first view after ${figure(worstFirst)} ms; Lighthouse at worst: performance ${scores.desktop} on a computer and ${scores.mobile} on a phone, accessibility ${worstAccess}.

${markdownTable(
  ['goal', 'measured', 'met'],
  goals.map(([goal, got, isMet]) => [goal, got, met(isMet)]),
)}

Each validation has ${figure(plan.size)} observations in a month, stored as rollups. The comparator runs on embedded Postgres in the bench's own process, beside the browser.

**Measured on** ${measured.machine}.

${markdownTable(
  ['page, never visited before', 'first view, ms', 'whole page, ms', 'greatest answer'],
  firstViews.map(({ page, views }) => [
    page,
    spreadFigure(spreadOf(views.map(({ firstMs }) => firstMs))),
    spreadFigure(spreadOf(views.map(({ wholeMs }) => wholeMs))),
    kilobytes(Math.max(...views.map(({ answer }) => answer.bytes))),
  ]),
)}

${markdownTable(
  ['Lighthouse', 'as if on', 'performance', 'accessibility', 'FCP, ms', 'LCP, ms', 'TBT, ms', 'CLS'],
  lighthouse.map(({ page, device, runs }) => {
    const of = (value: (run: LighthouseScores) => number) => figure(median(runs.map(value)))
    return [
      page,
      device,
      of((run) => run.performance),
      of((run) => run.accessibility),
      of((run) => run.firstContentfulPaint),
      of((run) => run.largestContentfulPaint),
      of((run) => run.totalBlockingTime),
      of((run) => run.layoutShift),
    ]
  }),
)}

- “First view”: the rows of the overview; the verdict and checks of a validation. Whole: every answer there, and drawn what is near the window; charts further down are drawn when one comes near. ${plan.repeats} times each, median (lowest–highest), without a cache, over loopback: what a network would add depends on the answers' size.
- Lighthouse ${lighthouseVersion}, median of ${plan.lighthouseRuns} after one that does not count, signed in. “mobile” simulates a slow phone on slow 4G.
- Script: ${kilobytes(script.gzip)} in gzip, ${kilobytes(script.brotli)} in Brotli, which browsers ask for.
- axe-core checks every view of \`bench/dashboard/views.ts\` in both themes, ${plan.widths.join(' and ')} px wide, on a comparator whose stored traffic fills them all.

To reproduce: \`npm ci && npx node bench/run.ts dashboard\`, with Chromium installed; \`--quick\` prints a short run. Use an idle machine; \`npx\` fetches Lighthouse.
`
  const broken = [
    ...axe.violations.map((violation) => `axe: ${violation}`),
    ...accessibilityFailed.map((id) => `Lighthouse, accessibility: ${id}`),
    ...(worstFirst > firstViewMaxMs ? [`a first view takes ${figure(worstFirst)} ms`] : []),
    // the phone's score is simulated on this machine, so it is shown but not judged
    ...(scores.desktop < performanceMin ? [`Lighthouse, performance on a computer: ${scores.desktop}`] : []),
    ...(script.gzip > scriptBytesMax ? [`the dashboard's script is ${kilobytes(script.gzip)} in gzip`] : []),
    ...(greatest.bytes > answerBytesMax ? [`${greatest.path} answers ${kilobytes(greatest.bytes)}`] : []),
  ]
  return { markdown, broken }
}
