import { around, type Interval } from './interval.ts'

/**
 * The interval of a share whose estimate has this radius, by inversion as in Wilson (1927): all p with
 * (p − estimate)² ≤ radius² · p(1−p) / (estimate(1−estimate)). The variance of a share is proportional to p(1−p), so an
 * interval from the estimate's own variance is too narrow on one side after a lucky window. Within [0, 1].
 */
export function shareInterval(estimate: number, radius: number): Interval {
  const variance = estimate * (1 - estimate)
  if (!(variance > 0)) return around(estimate, radius)
  const v = radius ** 2 / variance
  const half = Math.sqrt(v * variance + v ** 2 / 4)
  return { lower: (estimate + v / 2 - half) / (1 + v), upper: (estimate + v / 2 + half) / (1 + v) }
}

/** The same for a mean of non-negative values, whose variance is taken to be proportional to the mean. */
export function positiveInterval(estimate: number, radius: number): Interval {
  if (!(estimate > 0)) return { lower: Math.max(0, estimate - radius), upper: estimate + radius }
  const v = radius ** 2 / estimate
  const half = Math.sqrt(v * estimate + v ** 2 / 4)
  return { lower: estimate + v / 2 - half, upper: estimate + v / 2 + half }
}
