import type { BenchResult } from '../bench.ts'
import { spreadOf } from '../report/spread.ts'
import { figure, markdownTable, met, ratio, spreadFigure } from '../report/table.ts'
import { days, type GatePlan, growthMax, type Kind, kinds, limitMs, warmUps } from './plan.ts'

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
  const engines = [...new Set(asked.map(({ engine }) => engine))]
  const looksOf = (engine: string) =>
    asked.filter((of) => of.engine === engine).map((of) => plan.sizes.map((size) => medianOf(of, size)))
  const slowest = engines.map((engine) => ({ engine, ms: Math.max(...looksOf(engine).flat()) }))
  const validations = kinds.length * plan.sizes.length
  const goals = slowest.flatMap(({ engine, ms }) => {
    const growth = Math.max(...looksOf(engine).map((medians) => medians.at(-1)! / medians[0]!))
    const lists = overview.filter((of) => of.engine === engine).map((of) => spreadOf(of.times).median)
    return [
      [`${engine}: every look at a month ≤ ${limitMs} ms`, `${figure(ms)} ms`, met(ms <= limitMs)],
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

**In short:** In the median at most ${slowest.map(({ engine, ms }) => `${figure(ms)} ms on ${engine}`).join(' and ')}, whether the month has ${count(least)} observations or ${count(most)}.

${markdownTable(['goal', 'measured, the worst', 'met'], goals)}

A validation with a window of ${days} days has the number of observations in the column's head. Over all of them, and from the rollups alone, the comparator judges the gate, computes the dashboard's metrics with all their bounds and ${days * 2} steps of a chart, and computes one metric in each slice. Each figure is the time of a request over HTTP to a running comparator. “New evidence”: a mirror has reported since the last request, so everything is read and judged anew. “Asked again”: nothing has arrived in between, as for everyone else who looks at the same page.

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

- ${plan.repeats} requests of each kind, in turns, after ${warmUps} uncounted ones; median (lowest–highest).
- Rollups are made by the comparator's own code from a sample, spread over the hours of the days, with ${'`expire`'} run once, which folds past days. One validation is a classification of ten classes, the other a regression; each has slices by route, body size and class. Minute rollups, which charts of the last 7 days use, are not included.

To reproduce: \`npm ci && npx node bench/run.ts gate\`; with \`--quick\` it prints the page after a short run without the largest size. Use an idle machine.
`
  return { markdown, broken: [] }
}

const sameSide = (a: Omit<GateTimes, 'times'>, b: Omit<GateTimes, 'times'>) =>
  a.engine === b.engine && a.kind === b.kind && a.question === b.question && a.isAgain === b.isAgain

const count = (size: number) =>
  `10${[...String(Math.log10(size))].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('')}`
