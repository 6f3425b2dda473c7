import { median, quantileSorted } from 'simple-statistics'
import { type Spread, spreadOf } from '../report/spread.ts'
import { figure, markdownTable, percent, spreadFigure } from '../report/table.ts'
import { ratesOf, type Turns } from './take-turns.ts'

/** One side's rounds as a row of figures; NaN if no round had an answer. */
interface Row {
  rowsPerSecond: Spread
  /** Medians of the rounds' own quantiles. */
  p50Ms: number
  p99Ms: number
  cpuMs: number | undefined
  batchRows: number | undefined
  inSession: number | undefined
}

export function rowOf({ rounds }: Turns, name: string): Row | undefined {
  const own = rounds.get(name)
  if (!own) return undefined
  const answered = own.filter(({ latenciesMs }) => latenciesMs.length > 0)
  const sorted = answered.map(({ latenciesMs }) => latenciesMs.toSorted((a, b) => a - b))
  const quantile = (p: number) => medianOf(sorted.map((latencies) => quantileSorted(latencies, p))) ?? Number.NaN
  return {
    rowsPerSecond: spreadOf(ratesOf(own)),
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    cpuMs: medianOf(own.map(({ cpuMs }) => cpuMs)),
    batchRows: medianOf(own.map(({ batchRows }) => batchRows)),
    inSession: medianOf(own.map(({ inSession }) => inSession)),
  }
}

function medianOf(values: (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : median(known)
}

const rowHead = ['rows/s', 'p50, ms', 'p99, ms', 'CPU a row, ms', 'rows a run', 'in session']

/**
 * One line per side: its label, its figures, and in the last column how it compares. Columns without any value are left
 * out.
 */
export function rowsTable(
  turns: Turns,
  sides: readonly { label: string; name: string; compared: string }[],
  last: string,
) {
  const lines = sides.map(({ label, name, compared }) => [label, ...rowCells(rowOf(turns, name)), compared])
  const head = ['', ...rowHead, last]
  const known = head.map((_, column) => lines.some((line) => line[column] !== '–'))
  const keep = (cells: readonly string[]) => cells.filter((_, column) => known[column])
  return markdownTable(keep(head), lines.map(keep))
}

function rowCells(row: Row | undefined): string[] {
  if (!row) return rowHead.map(() => '–')
  const { rowsPerSecond, p50Ms, p99Ms, cpuMs, batchRows, inSession } = row
  return [
    spreadFigure(rowsPerSecond),
    figure(p50Ms),
    figure(p99Ms),
    cpuMs === undefined ? '–' : figure(cpuMs),
    batchRows === undefined ? '–' : figure(batchRows),
    inSession === undefined ? '–' : percent(inSession),
  ]
}
