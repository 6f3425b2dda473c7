import { expect, test } from 'vitest'
import { stretchesOf, ticksOf } from './timings.ts'

test('a leg is timed from when its request was sent; its wait before that is shown before zero', () => {
  expect(stretchesOf({ totalMs: 10, ttfbMs: 7, queuedMs: 2 })).toEqual([
    { kind: 'queued', from: -2, to: 0 },
    { kind: 'firstByte', from: 0, to: 7 },
    { kind: 'rest', from: 7, to: 10 },
  ])
  expect(stretchesOf({ totalMs: 10, queuedMs: null })).toEqual([{ kind: 'firstByte', from: 0, to: 10 }])
  expect(stretchesOf({ totalMs: 10, ttfbMs: 12, queuedMs: 0 })).toEqual([{ kind: 'firstByte', from: 0, to: 10 }])
})

test('an axis has round steps, and includes zero if it is in range', () => {
  expect(ticksOf(0, 20, 3)).toEqual([0, 10, 20])
  expect(ticksOf(-2, 43.9, 3)).toEqual([0, 20, 40])
  expect(ticksOf(0, 0, 3)).toEqual([0])
  expect(ticksOf(-30, 0, 3)).toEqual([-30, -20, -10, 0])
})
