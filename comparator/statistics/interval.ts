export interface Interval {
  lower: number
  upper: number
}

export const around = (mean: number, radius: number): Interval => ({ lower: mean - radius, upper: mean + radius })

export function hull(a: Interval, b: Interval): Interval {
  return { lower: Math.min(a.lower, b.lower), upper: Math.max(a.upper, b.upper) }
}

export function clip({ lower, upper }: Interval, least: number, greatest: number): Interval {
  return { lower: Math.max(least, lower), upper: Math.min(greatest, upper) }
}
