import { expect, test } from 'vitest'
import { agreementOf, type Cell, confusionFrom, kappa, kappaWithin } from './kappa.ts'

test('kappa is unknown without counts, and where chance alone agrees on everything', () => {
  expect(kappa(confusionFrom([]))).toBeNull()
  expect(kappa(confusionFrom([['a', 'a', 9]]))).toBeNull()
  expect(kappa(confusionFrom([['a', 'b', 9]]))).toBe(0)
  expect(
    kappa(
      confusionFrom([
        ['a', 'a', 1],
        ['b', 'b', 1],
      ]),
    ),
  ).toBe(1)
})

test('its lower end is what further disagreement in the costliest cell leaves, but for the square of its share', () => {
  const cells: Cell[] = [
    ['a', 'a', 40],
    ['a', 'b', 25],
    ['b', 'a', 5],
    ['b', 'b', 30],
  ]
  const seen = confusionFrom(cells)
  for (const share of [0.001, 0.01, 0.05]) {
    const agreement = agreementOf(seen)
    const { lower } = kappaWithin(seen, { lower: (1 - share) * agreement, upper: agreement })
    const unseen: Cell = ['b', 'a', (share / (1 - share)) * seen.total]
    const above = kappa(confusionFrom([...cells, unseen]))! - lower
    expect(above).toBeGreaterThan(0)
    expect(above).toBeLessThan(2 * share ** 2)
  }
})

test('it is never below −1, and known where nothing agreed yet', () => {
  const apart = confusionFrom([
    ['a', 'b', 5],
    ['b', 'a', 5],
  ])
  expect(kappaWithin(apart, { lower: 0, upper: 0 })).toEqual({ lower: -1, upper: -1 })
  const alike = confusionFrom([['a', 'a', 9]])
  expect(kappaWithin(alike, { lower: 0.9, upper: 1 }).lower).toBe(-1)
})
