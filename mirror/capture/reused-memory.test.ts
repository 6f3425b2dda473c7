import { expect, test } from 'vitest'
import { giveLargeBack, pageBytes, takeLarge } from './reused-memory.ts'

test('memory given back is reused for about the same size, by one user at a time', () => {
  const first = takeLarge(1_000_000)
  const second = takeLarge(1_000_000)
  expect(first.length).toBe(1_000_000)
  expect(second.buffer).not.toBe(first.buffer)
  giveLargeBack(first)
  giveLargeBack(first)
  expect(takeLarge(100_000).buffer).not.toBe(first.buffer)
  expect(takeLarge(2_000_000).buffer).not.toBe(first.buffer)
  const third = takeLarge(900_000)
  expect([third.buffer, third.length]).toEqual([first.buffer, 900_000])
  expect(takeLarge(900_000).buffer).not.toBe(first.buffer)
})

test('memory from elsewhere is never reused', () => {
  const own = Buffer.alloc(pageBytes)
  giveLargeBack(own)
  giveLargeBack(Buffer.from('in a pool'))
  expect(takeLarge(pageBytes).buffer).not.toBe(own.buffer)
})
