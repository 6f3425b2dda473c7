import type { Configuration } from './configuration.ts'
import type { LatencyLimit, Level } from './measure.ts'

/** A configuration and its result. */
export type Row =
  | { kind: 'measured'; configuration: Configuration; best: Level; levels: Level[] }
  /** The server could not be started. */
  | { kind: 'failed'; configuration: Configuration; message: string }

type MeasuredRow = Row & { kind: 'measured' }

/** Smaller differences are ignored, however steady the windows were. */
const toleranceMin = 0.02

/** The level with the highest throughput within the limit or, if none is, the one with the lowest latency. */
export function rowOf(configuration: Configuration, levels: Level[]): MeasuredRow {
  const best = levels.reduce((best, level) => (isLevelBetter(level, best, 0) ? level : best))
  return { kind: 'measured', configuration, best, levels }
}

/** Whether `a` is better than `b` by more than their noise. */
export function isBetter(a: Row, b: Row): boolean {
  if (a.kind === 'failed' || b.kind === 'failed') return a.kind === 'measured' && b.kind === 'failed'
  const noise = Math.max(a.best.noise, b.best.noise) / 2
  return isLevelBetter(a.best, b.best, Math.max(toleranceMin, Number.isFinite(noise) ? noise : 0))
}

function isLevelBetter(a: Level, b: Level, tolerance: number): boolean {
  const [fineA, fineB] = [isFine(a), isFine(b)]
  if (fineA !== fineB) return fineA
  if (fineA) return a.throughput > b.throughput * (1 + tolerance)
  if (a.failures > 0 !== b.failures > 0) return b.failures > 0
  return a.latencyMs.limited < b.latencyMs.limited * (1 - tolerance)
}

const isFine = ({ satisfies, failures, requests }: Level) => satisfies !== false && failures === 0 && requests > 0

export interface Choice {
  /** The best row of the model's own file that satisfies the limit. */
  chosen: MeasuredRow | undefined
  /** A row of another file, if it is better still. */
  better: MeasuredRow | undefined
}

export function choose(rows: readonly Row[]): Choice {
  const chosen = bestOf(rows.filter(({ configuration }) => configuration.also === undefined))
  const other = bestOf(rows.filter(({ configuration }) => configuration.also !== undefined))
  return { chosen, better: other && (!chosen || isBetter(other, chosen)) ? other : undefined }
}

/** `undefined` if none satisfies the limit. */
function bestOf(rows: readonly Row[]): MeasuredRow | undefined {
  const best = rows.reduce<Row | undefined>((best, row) => (!best || isBetter(row, best) ? row : best), undefined)
  return best?.kind === 'measured' && isFine(best.best) ? best : undefined
}

/** Best first; configurations that could not be started come last. */
export function ranked(rows: readonly Row[]): Row[] {
  const place = (row: Row) => (row.kind === 'failed' ? 2 : isFine(row.best) ? 0 : 1)
  const order = (a: Row, b: Row) => {
    if (a.kind === 'failed' || b.kind === 'failed' || place(a) !== place(b)) return place(a) - place(b)
    return place(a) === 0 ? b.best.throughput - a.best.throughput : a.best.latencyMs.limited - b.best.latencyMs.limited
  }
  return rows.toSorted(order)
}

/** The overall noise: the median and the maximum spread of throughput between windows. */
export function noiseOf(rows: readonly Row[]) {
  const levels = rows.flatMap((row) => (row.kind === 'measured' ? row.levels : []))
  const spreads = levels
    .map(({ noise }) => noise)
    .filter(Number.isFinite)
    .sort((a, b) => a - b)
  return {
    median: spreads[Math.floor(spreads.length / 2)] ?? Number.NaN,
    max: spreads.at(-1) ?? Number.NaN,
    unsteady: levels.filter(({ steady }) => !steady).length,
    measurements: levels.length,
  }
}

export const percentileName = ({ percentile }: LatencyLimit) => `p${percentile}`
