import type { Sum } from '../statistics/sums.ts'
import type { Support } from './catalogue/metric.ts'
import { normalFrom } from './rollups.fixture.ts'

/** Hourly rollups of a measure, for a service with busy days and bad spells. */
export interface Traffic {
  support: Support
  /** The true mean of the hours. */
  mean: number
  /** Spread of the hours' own means: absolute for `real`, else relative (`paired`: of the losses). */
  spread: number
  /** Correlation of an hour's own mean with the next hour's, as a first-order autoregression. */
  correlation: number
  /** Exchanges in the quietest hour; the busiest has twenty times as many. */
  quietest: number
  hours: number
}

export function hoursOf(traffic: Traffic, random: () => number): Sum[] {
  const { correlation, hours, quietest } = traffic
  const phase = Math.floor(random() * 24)
  let level = normalFrom(random)
  return Array.from({ length: hours }, (_, hour) => {
    level = correlation * level + Math.sqrt(1 - correlation ** 2) * normalFrom(random)
    const busy = 0.5 - 0.5 * Math.cos((2 * Math.PI * (hour + phase)) / 24)
    return hourOf(traffic, level, Math.max(1, poissonFrom(random, quietest * 20 ** busy)), random)
  })
}

/** `level` is standard normal. */
function hourOf({ support, mean, spread }: Traffic, level: number, n: number, random: () => number): Sum {
  const factor = Math.exp(spread * level - spread ** 2 / 2)
  switch (support) {
    case 'real': {
      const sum = n * (mean + spread * level) + Math.sqrt(n) * normalFrom(random)
      return { n, sum, sumSq: sum ** 2 / n + n, min: 0, max: 0 }
    }
    case 'nonNegative': {
      const sum = Math.max(0, n * mean * factor * (1 + normalFrom(random) / Math.sqrt(n)))
      return { n, sum, sumSq: sum ** 2 / n, min: 0, max: 0 }
    }
    case 'share': {
      const rare = Math.min(mean, 1 - mean)
      const count = Math.min(n, poissonFrom(random, n * rare * factor))
      return shareOf(n, mean <= 0.5 ? count : n - count)
    }
    case 'cosine':
    case 'cosineDistance': {
      // most distances are small, but one in a hundred is large
      const distance = support === 'cosine' ? 1 - mean : mean
      const apart = Math.min(n, poissonFrom(random, n * 0.01 * factor))
      const near = (distance / 2) * (n - apart)
      const sum = near + apart * Math.min(2, 50 * distance)
      return support === 'cosine'
        ? { n, sum: n - sum, sumSq: n, min: -1, max: 1 }
        : { n, sum, sumSq: n, min: 0, max: 2 }
    }
    case 'paired': {
      // losses come in spells, gains evenly; the mean is their difference
      const gains = Math.min(n, poissonFrom(random, n * 0.01))
      const losses = Math.min(n - gains, poissonFrom(random, n * (0.01 - mean) * factor))
      return { n, sum: gains - losses, sumSq: gains + losses, min: -1, max: 1 }
    }
  }
}

function shareOf(n: number, sum: number): Sum {
  return { n, sum, sumSq: sum, min: 0, max: 1 }
}

/** Poisson numbers by Knuth's algorithm for small means, and the normal approximation for large ones. */
export function poissonFrom(random: () => number, mean: number): number {
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normalFrom(random)))
  const end = Math.exp(-mean)
  let count = 0
  for (let product = random(); product > end; product *= random()) count++
  return count
}
