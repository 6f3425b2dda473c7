import { expect, test } from 'vitest'
import { boundScale } from './bound-scale.ts'

const row = (estimate: number | null, lower: number | null, upper: number | null) => ({ estimate, lower, upper, n: 10 })

test('every estimate is in view, and one sparse row does not flatten the rest', () => {
  const { from, to, place } = boundScale(
    [row(0.9, 0.88, 0.92), row(0.91, 0.88, 0.93), row(0.95, 0.93, 0.97), row(0.94, 0.93, 0.97), row(0.92, 0.1, 1)],
    [0.94],
    [0, 1],
  )
  expect(from).toBeGreaterThan(0.8)
  expect(to).toBeLessThanOrEqual(1)
  expect(place(0.1)).toBe(0)
  expect(place(0.9)).toBeGreaterThan(0)
  expect(place(0.95)).toBeLessThan(100)
})

test('a few rows are shown in full', () => {
  expect(boundScale([row(0.9, 0.5, 0.95), row(0.92, 0.6, 0.97)], [], [0, 1]).from).toBeLessThan(0.5)
})

test('a scale never leaves the metric’s domain, and exists without rows', () => {
  expect(boundScale([row(1, 0.99, 1)], [], [0, 1]).to).toBe(1)
  expect(boundScale([row(null, null, null)], [], [0, 1])).toMatchObject({ from: 0, to: 1 })
})
