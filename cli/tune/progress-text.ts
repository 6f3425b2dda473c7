import { figure } from '../text-table.ts'
import { type Configuration, describeConfiguration } from './configuration.ts'
import type { Level } from './measure.ts'
import type { Row } from './rows.ts'

const barCells = 20

/** The progress of the search, the current configuration and its result. */
export function progressText(
  rows: readonly Row[],
  expected: { count: number; exact: boolean },
  configuration: Configuration,
  level?: Level,
): string {
  const total = Math.max(expected.count, rows.length)
  const filled = Math.round((barCells * rows.length) / total)
  const bar = '█'.repeat(filled) + '░'.repeat(barCells - filled)
  const last = rows.at(-1)
  const seen = level ?? (last?.kind === 'measured' ? last.best : undefined)
  const figures = seen ? `: ${figure(seen.throughput)} requests/s, p99 ${figure(seen.latencyMs.p99)} ms` : ''
  return `${bar} ${rows.length} of ${expected.exact ? '' : 'about '}${total}  ${describeConfiguration(configuration)}${figures}`
}
