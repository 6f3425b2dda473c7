import { expect, test } from 'vitest'
import { ByteBudget } from './byte-budget.ts'
import { BodyCapture } from './capture.ts'

test('a capture keeps a body whole and gives its bytes back once', () => {
  const budget = new ByteBudget(100)
  const capture = new BodyCapture(budget, 50)
  capture.add(Buffer.from('ab'))
  capture.add(Buffer.from('cd'))
  expect(budget.held).toBe(4)
  expect(capture.toBuffer().toString()).toBe('abcd')
  expect(capture.toBuffer()).toBe(capture.toBuffer())
  capture.release()
  capture.release()
  capture.add(Buffer.from('ef'))
  expect(budget.held).toBe(0)
  expect(capture.bytes).toBe(6)
})

test('past its own limit it is tooLarge, past the budget shed, and holds nothing either way', () => {
  const budget = new ByteBudget(10)
  const large = new BodyCapture(budget, 3)
  large.add(Buffer.from('abc'))
  expect(large.lost).toBeUndefined()
  large.add(Buffer.from('d'))
  expect([large.lost, large.bytes, budget.held]).toEqual(['tooLarge', 4, 0])

  const other = new BodyCapture(budget, 100)
  other.add(Buffer.alloc(8))
  const shed = new BodyCapture(budget, 100)
  shed.add(Buffer.alloc(2))
  shed.add(Buffer.alloc(1))
  expect([shed.lost, shed.bytes, budget.held]).toEqual(['shed', 3, 8])
  other.release()
  expect(budget.held).toBe(0)
})

test('a budget refuses to go below nothing', () => {
  const budget = new ByteBudget(10)
  expect(budget.tryTake(10)).toBe(true)
  expect(budget.tryTake(1)).toBe(false)
  expect(() => budget.giveBack(11)).toThrow(/11 bytes given back where 10 are held/)
})

test('small chunks are put together, without a hold on the reads that they came in', () => {
  const budget = new ByteBudget(1e9)
  const capture = new BodyCapture(budget, 1e6)
  const parts = Array.from({ length: 50_000 }, (_, i) => Buffer.alloc(i % 1000 === 999 ? 5000 : 1, i))
  const read = Buffer.alloc(1)
  for (const [i, part] of parts.entries()) {
    read.set(part.subarray(0, 1))
    capture.add(i === 0 || part.length > 1 ? part : read)
  }
  expect(budget.held).toBe(capture.bytes)
  const body = capture.toBuffer()
  expect(body.equals(Buffer.concat(parts))).toBe(true)
  capture.add(Buffer.from('more'))
  capture.add(Buffer.from('and more'))
  expect(capture.toBuffer().equals(Buffer.concat([body, Buffer.from('moreand more')]))).toBe(true)
})
