import { expect, test } from 'vitest'
import { BodyBudget } from './body-budget.ts'

test('a budget grants what is free, takes back what was held, and counts nothing for a finished request', () => {
  let bytesMax = 100
  const budget = new BodyBudget(() => bytesMax)
  const one = budget.open(false)
  const other = budget.open(false)
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

test('tensors find room like bodies, and in any amount if no other request holds memory', () => {
  const budget = new BodyBudget(() => 100)
  const [one, other] = [budget.open(false), budget.open(false)]
  one.take(10)
  one.takeTensors(500)
  expect(() => other.takeTensors(1)).toThrow('limits.bodiesMax, 100 bytes; try again later')
  one.add(-500)
  other.takeTensors(90)
  expect(() => one.takeTensors(1)).toThrow(expect.objectContaining({ status: 503, code: 'BODIES_FULL' }))
})

test('mirrored requests leave a quarter to live ones, even with answers that nobody reads', () => {
  const budget = new BodyBudget(() => 100)
  const [shadow, other] = [budget.open(true), budget.open(true)]
  const [live, next] = [budget.open(false), budget.open(false)]
  shadow.take(75)
  expect(() => other.take(1)).toThrow('limits.bodiesMax, 100 bytes, of which mirrored ones may have three quarters')
  other.add(500)
  live.take(25)
  expect(() => next.take(1)).toThrow('limits.bodiesMax, 100 bytes; try again later')
  shadow.release()
  other.release()
  next.take(60)
  expect(() => budget.open(true).take(16)).toThrow('limits.bodiesMax')
  budget.open(true).take(15)
  expect(budget.heldBytes).toBe(100)
})
