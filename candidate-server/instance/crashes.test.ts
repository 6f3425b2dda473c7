import { expect, test } from 'vitest'
import { Crashes } from './crashes.ts'

function crashesOf() {
  const hands = { now: 0 }
  const crashes = new Crashes({ now: () => hands.now, monotonic: () => hands.now })
  const upFor = (ms: number) => {
    crashes.up()
    hands.now += ms
    return crashes.ended(true)
  }
  return { crashes, hands, upFor }
}

test('each crash doubles the wait, up to ten seconds, until a process has been up for as long', () => {
  const { upFor } = crashesOf()
  const waits = Array.from({ length: 9 }, () => upFor(9_999))
  expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000])
  expect(upFor(10_000)).toBe(100)
})

test('a start that fails counts as a crash, however long the process before was up', () => {
  const { crashes, upFor } = crashesOf()
  expect(upFor(60_000)).toBe(100)
  expect(crashes.ended(false)).toBe(200)
})

test('the third crash is a loop, until a process has been up for ten seconds', () => {
  const { crashes, hands, upFor } = crashesOf()
  upFor(1)
  upFor(1)
  expect(crashes.isLoop(false)).toBe(false)
  upFor(1)
  expect(crashes.isLoop(false)).toBe(true)
  crashes.up()
  hands.now += 9_999
  expect(crashes.isLoop(true)).toBe(true)
  hands.now += 1
  expect(crashes.isLoop(true)).toBe(false)
})
