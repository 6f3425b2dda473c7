import type { BenchResult } from '../bench.ts'
import { spreadOf } from '../spread.ts'
import { figure, markdownTable, met, ratio, spreadFigure } from '../table.ts'
import { days, type GatePlan, growthMax, type Kind, kinds, limitMs } from './plan.ts'

export const questions = ['gate', 'metrics', 'slices'] as const
type Question = (typeof questions)[number]

export interface GateTimes {
  engine: string
  kind: Kind
  size: number
  question: Question
  /** Asked again on the same evidence; otherwise the evidence has changed since the last time. */
  isAgain: boolean
  /** Milliseconds, one per repeat. */
  times: number[]
}

/** Times of the list of all validations, which the dashboard's first page requests. */
export interface OverviewTimes {
  engine: string
  /** Asked again on the same evidence; otherwise one validation has received an observation since. */
  isAgain: boolean
  times: number[]
}

/** Size of a validation's rollups in the database. */
export interface RollupSize {
  engine: string
  kind: Kind
  size: number
  rows: number
  bytes: number
}

interface MeasuredGate {
  plan: GatePlan
  machine: string
  times: GateTimes[]
  overview: OverviewTimes[]
  sizes: RollupSize[]
}

const paths = { gate: '`GET …/gate`', metrics: '`GET …/metrics`', slices: '`GET …/slices`' }
const overviewAsking = (isAgain: boolean) => (isAgain ? 'asked again' : 'new evidence of one')
const asking = ({ question, isAgain }: Pick<GateTimes, 'question' | 'isAgain'>) =>
  `${paths[question]}, ${isAgain ? 'asked again' : 'new evidence'}`

export function describeGate(measured: MeasuredGate): BenchResult {
  const { plan, times, overview, sizes } = measured
  const [least, most] = [plan.sizes[0]!, plan.sizes.at(-1)!]
  const medianOf = (of: Omit<GateTimes, 'times'>, size: number) =>
    spreadOf(times.find((one) => sameSide(one, of) && one.size === size)!.times).median
  const asked = times.filter(({ size }) => size === most)
  const validations = kinds.length * plan.sizes.length
  const goals = [...new Set(asked.map(({ engine }) => engine))].flatMap((engine) => {
    const looks = asked.filter((of) => of.engine === engine).map((of) => [medianOf(of, least), medianOf(of, most)])
    const slowest = Math.max(...looks.flat())
    const growth = Math.max(...looks.map(([few, many]) => many! / few!))
    const lists = overview.filter((of) => of.engine === engine).map((of) => spreadOf(of.times).median)
    return [
      [`${engine}: every look at a month ≤ ${limitMs} ms`, `${figure(slowest)} ms`, met(slowest <= limitMs)],
      [
        `${engine}: a look at ${count(most)} ≤ ${growthMax} × one at ${count(least)}`,
        ratio(growth, 1),
        met(growth <= growthMax),
      ],
      [
        `${engine}: the overview of ${validations} validations ≤ ${limitMs} ms`,
        `${figure(Math.max(...lists))} ms`,
        met(Math.max(...lists) <= limitMs),
      ],
    ]
  })
  const markdown = `## What does a look at a month cost?

${markdownTable(['goal', 'measured, the worst', 'met'], goals)}

A validation whose window is ${days} days has had so many observations; the gate is judged, and the dashboard's metrics with all their bounds and ${days * 2} steps of a chart, and one metric in each slice, are computed over all of them, from the rollups alone. Each figure is that of a request over HTTP to a running comparator. “New evidence”: a mirror has reported since, so all of it is read and judged anew; “asked again”: nothing has come in between, as for everyone else who looks at the same page.

**Measured on** ${measured.machine}.

${markdownTable(
  [
    'database',
    'output',
    'asked',
    ...plan.sizes.map((size) => `${count(size)}, ms`),
    `${count(most)} to ${count(least)}`,
  ],
  asked.map((of) => [
    of.engine,
    of.kind,
    asking(of),
    ...plan.sizes.map((size) =>
      spreadFigure(spreadOf(times.find((one) => sameSide(one, of) && one.size === size)!.times)),
    ),
    ratio(medianOf(of, most), medianOf(of, least)),
  ]),
)}

${markdownTable(
  ['database', `the overview, \`GET /v1/validations\`, of these ${validations}`, 'ms'],
  overview.map(({ engine, isAgain, times }) => [engine, overviewAsking(isAgain), spreadFigure(spreadOf(times))]),
)}

${markdownTable(
  ['rollups of one validation-month', ...plan.sizes.map((size) => `${count(size)}`)],
  kinds.flatMap((kind) => {
    const of = plan.sizes.map((size) => sizes.find((one) => one.kind === kind && one.size === size))
    if (of.some((one) => one === undefined)) return []
    return [
      [`${kind}, rows`, ...of.map((one) => figure(one!.rows))],
      [`${kind}, MB of table and index`, ...of.map((one) => figure(one!.bytes / 1e6))],
    ]
  }),
)}

- ${plan.repeats} requests of each kind, in turns, after three that do not count; median (lowest–highest).
- Rollups are made by the comparator's own code from a sample, spread over the hours of the days, with ${'`expire`'} run once, which folds the days that are over. Ten classes, and a regression, each cut by route, body size and class. Minute rollups, which charts of the last 7 days use, are not among them.

To reproduce: \`npm ci && npx node bench/run.ts gate\`; with \`--quick\` it prints the page after a short run without the largest size. Use an idle machine.
`
  return { markdown, broken: [] }
}

const sameSide = (a: Omit<GateTimes, 'times'>, b: Omit<GateTimes, 'times'>) =>
  a.engine === b.engine && a.kind === b.kind && a.question === b.question && a.isAgain === b.isAgain

const count = (size: number) =>
  `10${[...String(Math.log10(size))].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('')}`
