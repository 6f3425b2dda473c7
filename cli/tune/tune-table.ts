import { basename } from 'node:path'
import { figure, textTable } from '../text-table.ts'
import { type Configuration, describeConfiguration, describeSwitches } from './configuration.ts'
import type { LatencyLimit, Level } from './measure.ts'
import { noiseOf, percentileName, type Row, ranked } from './rows.ts'

const measuredColumns = ['clients', 'requests/s', '±%', 'p50', 'p90', 'p95', 'p99', 'CPUs', 'others', 'throttled']

/**
 * One line per configuration, best first; the chosen one is marked. `file` is the model's own file, shown if there are
 * several.
 */
export function tuneTable(
  rows: readonly Row[],
  chosen: Configuration | undefined,
  limit: LatencyLimit,
  file: string,
): string {
  const hasOthers = rows.some(({ configuration }) => configuration.also !== undefined)
  const isExtra =
    limit.percentile !== 50 && limit.percentile !== 90 && limit.percentile !== 95 && limit.percentile !== 99
  const own = isExtra ? [percentileName(limit)] : []
  const hasFailures = rows.some((row) => row.kind === 'measured' && row.best.failures > 0)
  const verdict = limit.latencyMs !== undefined ? [`≤ ${limit.latencyMs} ms`] : hasFailures ? ['answers'] : []
  const head = ['', ...(hasOthers ? ['model'] : []), 'instances × threads', 'batch', 'delay', 'switches']
  const lines = ranked(rows).map((row) => [
    row.configuration === chosen ? '*' : '',
    ...(hasOthers ? [basename(row.configuration.also ?? file)] : []),
    ...configurationCells(row.configuration),
    ...(row.kind === 'measured'
      ? [...measuredCells(row.best, isExtra), ...verdict.map(() => verdictOf(row.best))]
      : ['failed', ...Array(measuredColumns.length - 1 + own.length + verdict.length).fill('')]),
  ])
  return `${textTable([...head, ...measuredColumns, ...own, ...verdict], lines, head.length)}\n(times in ms)`
}

function configurationCells(configuration: Configuration): string[] {
  const { instances, threads, sizeMax, delayMs } = configuration
  return [`${instances} × ${threads}`, String(sizeMax), `${delayMs}`, describeSwitches(configuration)]
}

function measuredCells(level: Level, isExtra: boolean): string[] {
  const { concurrency, throughput, noise, steady, latencyMs, cpus, othersCpus, throttledPeriods } = level
  return [
    String(concurrency),
    figure(throughput),
    `${figure(Math.round(50 * noise))}${steady ? '' : '!'}`,
    ...[latencyMs.p50, latencyMs.p90, latencyMs.p95, latencyMs.p99].map(figure),
    ...[cpus, othersCpus].map((used) => (used === null ? '–' : used.toFixed(2))),
    throttledPeriods === null ? '–' : String(throttledPeriods),
    ...(isExtra ? [figure(latencyMs.limited)] : []),
  ]
}

const verdictOf = ({ satisfies, failures }: Level) => (failures > 0 ? 'failures' : satisfies === false ? 'no' : 'yes')

/** How reliable the result is, and why the chosen row is not always the first one. */
export function noiseLine(rows: readonly Row[], chosen: Configuration | undefined): string {
  const { median, max, unsteady, measurements } = noiseOf(rows)
  const percent = (spread: number) => `${figure(Math.round(50 * spread))} %`
  const agreed = unsteady === 0 ? '' : `; ${unsteady} of ${measurements} measurements never became steady (!)`
  const [first] = ranked(rows).filter(({ configuration }) => configuration.also === undefined)
  const above =
    chosen === undefined || first!.configuration === chosen ? '' : '; rows above * are better by no more than that'
  return `noise: windows of one measurement differed by ±${percent(median)} (median), ±${percent(max)} at most${agreed}${above}`
}

/**
 * Another file gives different answers, so it is a different candidate and must not be written to a config
 * automatically.
 */
export function betterLine({ also, ...settings }: Configuration, file: string): string {
  const own = basename(file)
  return `${basename(also!)} is better than ${own}, with ${describeConfiguration(settings)}. Its answers differ, so it is another candidate: the settings written are for ${own}; use tune --model ${also} for it`
}
