import { expect, test } from 'vitest'
import { BodyBudget } from './body-budget.ts'

test('a budget gives what is free, gets back what was held, and counts nothing for a request that is over', () => {
  let bytesMax = 100
  const budget = new BodyBudget(() => bytesMax)
  const one = budget.open()
  const other = budget.open()
  one.take(60)
  expect(() => other.take(41)).toThrow('limits.bodiesMax, 100 bytes')
  other.take(40)
  expect(() => one.take(1)).toThrow(expect.objectContaining({ status: 503, code: 'BODIES_FULL' }))
  one.add(50)
  expect(budget.heldBytes).toBe(150)
  one.release()
  one.add(70)
  one.release()
  expect(budget.heldBytes).toBe(40)
  bytesMax = 200
  one.take(10)
  other.take(160)
  expect(budget.heldBytes).toBe(200)
})
