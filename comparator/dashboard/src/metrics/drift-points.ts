import type { MetricsView } from '../../../../vocabulary/metrics.ts'
import { valueAt } from './value-at.ts'

export interface DriftPoint {
  at: Date
  value: number | null
  lower: number | null
  upper: number | null
  samples: number
}

/** One metric over time, with its bounds where the comparator gave them. */
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

/** How far the bounds may stretch the range to either side, in spreads of the values and limits. */
const boundsReachMax = 4

/**
 * The vertical range that keeps the line legible: values and limits whole, bounds by their median, because one
 * nearly empty step has a bound as wide as the axis; and not much more of them than of what they bound, because all
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

/** Points between two gaps, where a line alone would show nothing, as far as the scale goes: up to `cap`. */
export function isolated<Point>(points: Point[], valueIn: (point: Point) => number | null, cap: number): Point[] {
  const valueAt = (index: number) => (points[index] === undefined ? null : valueIn(points[index]))
  const isAlone = (index: number) => valueAt(index - 1) === null && valueAt(index + 1) === null
  return points.filter((point, index) => isAlone(index) && (valueIn(point) ?? Number.POSITIVE_INFINITY) <= cap)
}
