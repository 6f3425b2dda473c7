import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { field } from '../http1/fields.ts'
import { parseRequestHead } from '../http1/request-head.ts'
import { BodyCapture } from './body-capture.ts'
import { ByteBudget } from './byte-budget.ts'

test('a capture keeps a body whole and returns its bytes to the budget once', () => {
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

test('beyond its own limit a body is tooLarge, beyond the budget shed, and nothing is held either way', () => {
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

test('a head is held with its body, and if it has no room the body is shed', () => {
  const budget = new ByteBudget(400)
  const capture = new BodyCapture(budget, 50)
  capture.addHead([field('X-One', '1'), field('X-Two', '2')])
  capture.add(Buffer.from('ab'))
  const held = budget.held
  expect(held).toBeGreaterThan('X-One: 1X-Two: 2ab'.length)
  expect(capture.toBuffer().toString()).toBe('ab')
  const shed = new BodyCapture(budget, 50)
  shed.addHead([field('X-Three', 'x'.repeat(400 - held))])
  expect([shed.lost, budget.held]).toEqual(['shed', held])
  capture.release()
  capture.addHead([field('X-Four', '4')])
  expect(budget.held).toBe(0)
})

test('a head with many short fields counts for the memory that it takes', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const budget = new ByteBudget(1e9)
  const names = Array.from({ length: 300 }, (_, i) => `x-${i}: ${i}`)
  // as the bytes of a socket become one
  const headText = () => Buffer.from(['POST /p HTTP/1.1', 'host: a', ...names].join('\r\n')).toString('latin1')
  collect()
  const before = process.memoryUsage().heapUsed
  const heads = Array.from({ length: 500 }, () => {
    const { fields } = parseRequestHead(headText())
    new BodyCapture(budget, 50).addHead(fields)
    return fields
  })
  collect()
  const taken = process.memoryUsage().heapUsed - before
  expect(heads.length).toBe(500)
  expect(budget.held / taken).toBeGreaterThan(0.9)
})

test('a budget refuses to go below nothing', () => {
  const budget = new ByteBudget(10)
  expect(budget.tryTake(10)).toBe(true)
  expect(budget.tryTake(1)).toBe(false)
  expect(() => budget.giveBack(11)).toThrow(/11 bytes given back where 10 are held/)
})

test('small chunks are joined and do not keep alive the reads that they came in', () => {
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

test('the stream may overwrite copied chunks, and their memory is reused after the release', () => {
  const budget = new ByteBudget(1e9)
  const read = Buffer.alloc(65_536)
  const captured = (lengths: readonly number[], fill: number) => {
    const capture = new BodyCapture(budget, 1e6, 'copied')
    for (const length of lengths) capture.add(read.fill(fill).subarray(0, length))
    read.fill(0)
    return capture
  }
  for (const lengths of [[1], [5000, 1], [65_536, 65_536, 100], [10, 65_000, 3, 65_536], Array(2000).fill(70)]) {
    const bytes = lengths.reduce((sum, length) => sum + length, 0)
    const one = captured(lengths, 1)
    const other = captured(lengths, 2)
    for (const [capture, fill] of [[one, 1] as const, [other, 2] as const]) {
      expect(Buffer.concat(capture.pieces()).equals(Buffer.alloc(bytes, fill))).toBe(true)
    }
    expect(budget.held).toBe(2 * bytes)
    one.release()
    one.release()
    other.release()
    expect(budget.held).toBe(0)
  }
  const pages = (capture: BodyCapture) => new Set(capture.pieces().map(({ buffer }) => buffer))
  const first = captured([65_536, 65_536], 1)
  const held = pages(first)
  first.release()
  const second = captured([65_536, 65_536], 2)
  const third = captured([65_536, 65_536], 3)
  expect(pages(second).intersection(held)).toEqual(held)
  expect(pages(third).isDisjointFrom(pages(second))).toBe(true)
})
