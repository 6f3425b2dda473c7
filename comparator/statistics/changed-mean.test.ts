import { describe, expect, test } from 'vitest'
import { randomFrom } from '../metrics/rollups.fixture.ts'
import { changedMeanLower, type Seen } from './changed-mean.ts'

const always = (value: number, from: number, to: number, times = 1): Seen[] =>
  Array.from({ length: to - from }, (_, i) => ({ at: from + i, values: [{ value, times }] }))

test('grows with the evidence, stays below the observed mean, and is null without evidence', () => {
  const lower = (n: number) => changedMeanLower(always(0.2, 0, n), 0.05)!
  expect(changedMeanLower([], 0.05)).toBeNull()
  expect(changedMeanLower(always(1, 0, 9, 0), 0.05)).toBeNull()
  expect(changedMeanLower(always(0, 0, 100), 0.05)).toBe(0)
  expect(changedMeanLower(always(-0.5, 0, 100), 0.05)).toBe(0)
  const grown = [lower(10), lower(20), lower(100), lower(1000)]
  expect(grown).toEqual([...grown].sort((a, b) => a - b))
  expect(grown[3]).toBeGreaterThan(0.17)
  expect(grown[3]).toBeLessThan(0.2)
})

/** The supermartingale at its greatest for a mean of m, by its definition: every start and every bet apart. */
function wealthByDefinition(seen: Seen[], m: number, alpha: number): number {
  const weights = seen.map(({ at }) => 1 / ((at + 1) * (at + 2)))
  const least = Math.min(...seen.flatMap(({ values }) => values.map(({ value }) => value)))
  const reaches = weights.map((weight) => Math.max(-least, 0.5 / ((alpha * weight) ** (-1 / 7) - 1)))
  const bets = Array.from({ length: 32 }, (_, i) => (i + 0.5) / 32)
  const atEach = seen.map((_, now) => {
    let total = 0
    for (let start = 0; start <= now; start++) {
      for (const bet of bets) {
        let product = weights[start]! / bets.length
        for (let i = start; i <= now; i++) {
          const lambda = bet / (m + reaches[i]!)
          for (const { value, times } of seen[i]!.values) product *= (1 + lambda * (value - m)) ** times
        }
        total += product
      }
    }
    return total
  })
  return Math.max(...atEach)
}

test.each([0, -0.1, -0.4])(
  'is the level that the supermartingale of its definition just rejects (values from %d)',
  (low) => {
    const random = randomFrom(11)
    for (let round = 0; round < 4; round++) {
      let at = Math.floor(100 * random())
      const seen = Array.from({ length: 40 }, (_, i): Seen => {
        at += 1 + Math.floor(3 * random())
        const value = random() < 0.1 ? low : 0.3 + 0.7 * random()
        return {
          at,
          values: [
            { value, times: 1 + (i % 3) },
            { value: 0, times: 1 },
          ],
        }
      })
      const lower = changedMeanLower(seen, 0.05)!
      expect(lower).toBeGreaterThan(0.01)
      expect(wealthByDefinition(seen, lower - 2e-6, 0.05)).toBeGreaterThan(20)
      expect(wealthByDefinition(seen, lower + 2e-6, 0.05)).toBeLessThan(20)
    }
  },
)

test('values of one time count the same, whether listed one by one or by frequency', () => {
  const values = [1, 0, 0, 0, 1, 0, 0, 0].map((value) => ({ value, times: 1 }))
  const apart = Array.from({ length: 50 }, (_, at) => ({ at, values }))
  const together = apart.map(({ at }) => ({
    at,
    values: [
      { value: 1, times: 2 },
      { value: 0, times: 6 },
    ],
  }))
  expect(changedMeanLower(together, 0.05)).toBeCloseTo(changedMeanLower(apart, 0.05)!, 9)
})

test('is lower once negative values were seen', () => {
  const shares = changedMeanLower(always(0.3, 0, 60), 0.05)!
  const differences = changedMeanLower([...always(-1, 0, 1), ...always(0.3, 1, 60)], 0.05)!
  expect(differences).toBeGreaterThan(0)
  expect(shares).toBeGreaterThan(differences)
})

describe('a change', () => {
  /** After an hour without harm, of which only the last minute is given. */
  const secondsUntilSeen = (value: number) => {
    const before = always(0, 3540, 3600)
    for (let seconds = 1; seconds <= 120; seconds++) {
      const seen = [...before, ...always(value, 3600, 3600 + seconds)]
      if (changedMeanLower(seen, 0.0167)! > 0.01) return seconds
    }
    return undefined
  }

  test('is detected within seconds, however long all was well before, but not by one or two seconds', () => {
    expect(secondsUntilSeen(1)).toBe(7)
    expect(secondsUntilSeen(0.2)).toBeLessThanOrEqual(12)
    expect(secondsUntilSeen(0.05)).toBeLessThanOrEqual(31)
  })

  test('is detected at once where many values changed', () => {
    const failing = [...always(0, 3540, 3600, 50), ...always(1, 3600, 3601, 50)]
    expect(changedMeanLower(failing, 0.0167)).toBeGreaterThan(0.5)
  })

  test('to exactly the limit is never detected', () => {
    expect(secondsUntilSeen(0.01)).toBeUndefined()
  })

  test('is detected even if it ended before its seconds were seen', () => {
    const late = [...always(0, 0, 60), ...always(1, 60, 75), ...always(0, 75, 600)]
    expect(changedMeanLower(late, 0.01)).toBeGreaterThan(0.3)
  })
})

/** The share of steps that end falsely: looked at every second, with a mean no greater than the limit of 1 %. */
function endedByChance(value: () => number, alpha = 0.05 / 3): number {
  const steps = 100
  let ended = 0
  for (let step = 0; step < steps; step++) {
    const seen: Seen[] = []
    for (let at = 0; at < 600; at++) {
      seen.push(...always(value(), at, at + 1))
      if (seen.length > 120) seen.shift()
      // only a bad second raises the bound
      if (seen.at(-1)!.values[0]!.value <= 0.01 || changedMeanLower(seen, alpha)! <= 0.01) continue
      ended++
      break
    }
  }
  return ended / steps
}

test('looking every second at the newest values, it exceeds the true mean no more often than alpha', () => {
  const random = randomFrom(7)
  const one = () => (random() < 0.01 ? 1 : 0)
  const ofFive = () => (one() + one() + one() + one() + one()) / 5
  expect(endedByChance(one, 0.1)).toBeLessThanOrEqual(0.1)
  expect(endedByChance(ofFive, 0.1)).toBeLessThanOrEqual(0.1)
})

test('where both sides fail alone, the guess about the primary ends up to a tenth of steps falsely', () => {
  const random = randomFrom(7)
  const apart = (candidate: number, primary: number) => () =>
    (random() < candidate ? 1 : 0) - (random() < primary ? 1 : 0)
  expect(endedByChance(apart(0.005, 0.005))).toBeLessThanOrEqual(0.05 / 3)
  expect(endedByChance(apart(0.03, 0.02))).toBeLessThanOrEqual(0.1)
  expect(endedByChance(apart(0.1, 0.1))).toBeLessThanOrEqual(0.1)
})
