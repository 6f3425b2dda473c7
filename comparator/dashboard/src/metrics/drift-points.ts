import type { MetricsView } from '../../../../vocabulary/api/metrics.ts'
import { valueAt } from './value-at.ts'

export interface DriftPoint {
  at: Date
  value: number | null
  lower: number | null
  upper: number | null
  samples: number
}

/** One metric over time, with its bounds if the comparator gave any. */
export function driftPoints(metrics: Pick<MetricsView, 'series' | 'seriesBounds'>, metric: string): DriftPoint[] {
  const bounds = metrics.seriesBounds[metric]
  return metrics.series.map((step, index) => ({
    at: new Date(step.at),
    value: valueAt(step, metric),
    lower: bounds?.lower[index] ?? null,
    upper: bounds?.upper[index] ?? null,
    samples: valueAt(step, 'samples') ?? 0,
  }))
}

/** How far bounds may extend the range on either side, in multiples of the spread of values and limits. */
const boundsReachMax = 4

/**
 * A vertical range that keeps the line legible. It includes all values and limits, but bounds only by their median,
 * because a nearly empty step has a bound as wide as the axis. Even then bounds extend it only so far, because all
 * steps may be nearly empty.
 */
export function driftDomain(points: DriftPoint[], limits: number[], clip: [number, number]): [number, number] {
  const own = [...points.flatMap(({ value }) => value ?? []), ...limits].filter(Number.isFinite)
  const bounds = [
    ...median(points.flatMap(({ lower }) => lower ?? [])),
    ...median(points.flatMap(({ upper }) => upper ?? [])),
  ].filter(Number.isFinite)
  const [least, greatest] = [Math.min(...own), Math.max(...own)]
  const reach = boundsReachMax * (greatest - least)
  const near = (bound: number) => Math.max(least - reach, Math.min(greatest + reach, bound))
  const wanted = [...own, ...(reach > 0 ? bounds.map(near) : bounds)]
  if (wanted.length === 0) return [0, 1]
  const low = Math.min(...wanted)
  const high = Math.max(...wanted)
  const pad = (high - low || Math.abs(high) || 1) * 0.12
  return [Math.max(clip[0], low - pad), Math.min(clip[1], high + pad)]
}

function median(values: number[]): number[] {
  return values.length === 0 ? [] : [values.toSorted((a, b) => a - b)[values.length >> 1]!]
}

/** Points between two gaps, which a line alone would not show; only up to `cap`, where the scale ends. */
export function isolated<Point>(points: Point[], valueIn: (point: Point) => number | null, cap: number): Point[] {
  const valueAt = (index: number) => (points[index] === undefined ? null : valueIn(points[index]))
  const isAlone = (index: number) => valueAt(index - 1) === null && valueAt(index + 1) === null
  return points.filter((point, index) => isAlone(index) && (valueIn(point) ?? Number.POSITIVE_INFINITY) <= cap)
}
