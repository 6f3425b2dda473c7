import { clipTo } from '../../metrics/metric-info.ts'

interface Interval {
  estimate: number | null
  lower: number | null
  upper: number | null
  limit: { min?: number; max?: number }
}

/** Positions in per cent of the bar's width. */
interface IntervalScale {
  estimate: number | null
  /** `null` if there is no bound to draw, because none was given or the value is exact. */
  bound: { from: number; to: number; openLow: boolean; openHigh: boolean } | null
  allowed: { from: number; to: number }
  limits: number[]
  zero: number | null
}

/**
 * Positions of the parts of a check's interval bar: every given value is in view with a margin, the allowed side
 * extends to the bar's end, and nothing leaves the metric's domain.
 */
export function intervalScale(interval: Interval, domain: [number, number]): IntervalScale {
  const { estimate, limit } = interval
  const lower = clipTo(domain, interval.lower)
  const upper = clipTo(domain, interval.upper)
  const limits = [limit.min, limit.max].filter((value) => value !== undefined)
  const given = [estimate, lower, upper, ...limits].filter(
    (value): value is number => value !== null && Number.isFinite(value),
  )
  const low = Math.min(...given)
  const high = Math.max(...given)
  const pad = given.length === 0 ? 0 : (high - low || Math.abs(high) || 1) * 0.18
  const from = given.length === 0 ? 0 : Math.max(domain[0], low - pad)
  const to = given.length === 0 ? 1 : Math.min(domain[1], high + pad)
  const place = (value: number) => Math.min(100, Math.max(0, ((value - from) / (to - from || 1)) * 100))
  return {
    estimate: estimate === null ? null : place(estimate),
    bound:
      lower === upper
        ? null
        : {
            from: lower === null ? 0 : place(lower),
            to: upper === null ? 100 : place(upper),
            openLow: lower === null,
            openHigh: upper === null,
          },
    allowed: {
      from: limit.min === undefined ? 0 : place(limit.min),
      to: limit.max === undefined ? 100 : place(limit.max),
    },
    limits: limits.map(place),
    zero: from < 0 && to > 0 ? place(0) : null,
  }
}
