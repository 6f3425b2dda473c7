/** Windows that lie within this of their mean agree. */
const agreement = 0.1

/** (max − min) ÷ mean; NaN where there is nothing, or nothing but zeros. */
export function spreadOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return (Math.max(...values) - Math.min(...values)) / mean
}

export function isSteady(values: readonly number[], count: number): boolean {
  if (values.length < count) return false
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.every((value) => Math.abs(value - mean) <= agreement * mean)
}
