import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { noteServerTime, serverNow } from './server-clock.ts'

const now = Date.parse('2026-11-25T12:00:00Z')
const aheadAfter = (offMs: number) => {
  noteServerTime(new Date(now + offMs).toUTCString())
  return serverNow() - now
}

beforeEach(() => {
  vi.useFakeTimers({ now })
})
afterEach(() => {
  noteServerTime(new Date(now).toUTCString())
  vi.useRealTimers()
})

test('a clock that is hours off is corrected, one that is seconds off is not', () => {
  expect(aheadAfter(3_600_000)).toBe(3_600_000)
  expect(aheadAfter(-2_000)).toBe(0)
  expect(aheadAfter(-15_000)).toBe(0)
})

test('a clock at the tolerance does not jump back and forth', () => {
  expect([-19_000, -21_000, -19_000, -20_000, -11_000, -9_000].map(aheadAfter)).toEqual([
    0, -21_000, -19_000, -20_000, -11_000, 0,
  ])
})
