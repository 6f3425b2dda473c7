import { expect, test } from 'vitest'
import { pairedDifferenceLower } from './paired-difference.ts'

test('grows with the evidence, stays below the difference seen, and is null without any', () => {
  const lower = (n: number) => pairedDifferenceLower({ up: 0.3 * n, down: 0.1 * n, n }, 0.05)!
  expect(pairedDifferenceLower({ up: 0, down: 0, n: 0 }, 0.05)).toBeNull()
  expect(pairedDifferenceLower({ up: 0, down: 5, n: 10 }, 0.05)).toBe(0)
  expect([lower(10), lower(100), lower(1000), lower(10_000)]).toEqual(
    [lower(10), lower(100), lower(1000), lower(10_000)].sort((a, b) => a - b),
  )
  expect(lower(10_000)).toBeGreaterThan(0.17)
  expect(lower(10_000)).toBeLessThan(0.2)
})

test('looking after every pair, it passes the true difference no more often than alpha', () => {
  const random = seededRandom(7)
  let wrong = 0
  for (let run = 0; run < 300; run++) {
    const counts = { up: 0, down: 0, n: 0 }
    for (; counts.n < 300; ) {
      const draw = random()
      counts.n++
      if (draw < 0.06) counts.up++
      else if (draw < 0.1) counts.down++
      if (draw >= 0.06) continue // only another `up` raises the bound
      if (pairedDifferenceLower(counts, 0.1)! <= 0.02) continue
      wrong++
      break
    }
  }
  expect(wrong / 300).toBeLessThanOrEqual(0.1)
})

/** mulberry32. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
