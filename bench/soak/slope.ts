import { linearRegression, mean, sum } from 'simple-statistics'
import { longRunError } from '../../comparator/statistics/long-run-error.ts'

interface Slope {
  /** In units of y per unit of x. */
  slope: number
  /** Infinite if there is too little independent evidence to say. */
  standardError: number
}

/**
 * Ordinary least squares. The standard error is that of the points' influences (x − x̄) · residual / Σ(x − x̄)², in their
 * order, and so valid where neighbouring residuals are alike: memory rises and falls over minutes.
 */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): Slope {
  const { m, b } = linearRegression(points.map(([x, y]) => [x, y]))
  const center = mean(points.map(([x]) => x))
  const spread = sum(points.map(([x]) => (x - center) ** 2))
  const influences = points.map(([x, y]) => ({ deviation: ((x - center) * (y - m * x - b)) / spread, weight: 1 }))
  return { slope: m, standardError: (longRunError(influences) ?? Infinity) * points.length }
}
