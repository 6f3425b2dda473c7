import type { DecidingCheck } from '../../../../vocabulary/api/glance.ts'

export interface SparklineShape {
  /** SVG paths in a 100 × 100 box, y down: one per stretch without gaps. */
  paths: string[]
  /** Single values between gaps. */
  dots: { x: number; y: number }[]
  /** Limits, and which side of them is forbidden. */
  limits: { y: number; forbids: 'above' | 'below' }[]
  /** The gate's own estimate and bound, at the right end. */
  interval: { estimate: number; lower: number; upper: number } | null
}

/** The parts of a sparkline; `domain` is the range of possible values. */
export function sparklineShape(check: DecidingCheck, domain: [number, number]): SparklineShape {
  const { estimate, lower, upper, limit, sparkline } = check
  const [low, high] = verticalRange(check, domain)
  const yOf = (value: number) => round(100 * (1 - (clamp(value, low, high) - low) / (high - low)))
  const { values } = sparkline
  const xOf = (index: number) => round(values.length === 1 ? 100 : (100 * index) / (values.length - 1))
  const paths: string[] = []
  const dots: SparklineShape['dots'] = []
  for (const stretch of stretchesOf(values)) {
    const points = stretch.map(({ index, value }) => ({ x: xOf(index), y: yOf(value) }))
    if (points.length === 1) dots.push(points[0]!)
    else paths.push(`M${points.map(({ x, y }) => `${x} ${y}`).join('L')}`)
  }
  const limits: SparklineShape['limits'] = []
  if (limit.min !== undefined) limits.push({ y: yOf(limit.min), forbids: 'below' })
  if (limit.max !== undefined) limits.push({ y: yOf(limit.max), forbids: 'above' })
  const interval =
    estimate === null ? null : { estimate: yOf(estimate), lower: yOf(lower ?? low), upper: yOf(upper ?? high) }
  return { paths, dots, limits, interval }
}

/** Includes all values, limits and the bound, with a margin, within the metric's domain. */
function verticalRange({ estimate, lower, upper, limit, sparkline }: DecidingCheck, domain: [number, number]) {
  const wanted = [...sparkline.values, estimate, lower, upper, limit.min, limit.max].filter(
    (value): value is number => typeof value === 'number' && Number.isFinite(value),
  )
  const inside = wanted.map((value) => clamp(value, ...domain))
  const [least, most] = inside.length === 0 ? [0, 1] : [Math.min(...inside), Math.max(...inside)]
  const air = (most - least || Math.abs(most) || 1) * 0.15
  return [least - air, most + air] as const
}

function stretchesOf(values: readonly (number | null)[]): { index: number; value: number }[][] {
  const stretches: { index: number; value: number }[][] = []
  let isOpen = false
  values.forEach((value, index) => {
    if (value === null) isOpen = false
    else if (isOpen) stretches.at(-1)!.push({ index, value })
    else {
      stretches.push([{ index, value }])
      isOpen = true
    }
  })
  return stretches
}

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value))
const round = (value: number) => Math.round(value * 10) / 10
