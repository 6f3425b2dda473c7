import { linearRegression, mean, sum } from 'simple-statistics'

interface Slope {
  /** In units of y per unit of x. */
  slope: number
  standardError: number
}

/** Ordinary least squares: s² = Σ residual² / (n − 2), standard error = s / √Σ(x − x̄)². Needs three points. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): Slope {
  const { m, b } = linearRegression(points.map(([x, y]) => [x, y]))
  const center = mean(points.map(([x]) => x))
  const residuals = sum(points.map(([x, y]) => (y - m * x - b) ** 2))
  const spread = sum(points.map(([x]) => (x - center) ** 2))
  return { slope: m, standardError: Math.sqrt(residuals / (points.length - 2) / spread) }
}
