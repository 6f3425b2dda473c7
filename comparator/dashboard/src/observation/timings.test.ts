import { expect, test } from 'vitest'
import { stretchesOf } from './timings.ts'

test('a leg is timed from when its request was sent; its wait before that is shown before zero', () => {
  expect(stretchesOf({ totalMs: 10, ttfbMs: 7, queuedMs: 2 })).toEqual([
    { kind: 'queued', from: -2, to: 0 },
    { kind: 'firstByte', from: 0, to: 7 },
    { kind: 'rest', from: 7, to: 10 },
  ])
  expect(stretchesOf({ totalMs: 10, queuedMs: null })).toEqual([{ kind: 'firstByte', from: 0, to: 10 }])
  expect(stretchesOf({ totalMs: 10, ttfbMs: 12, queuedMs: 0 })).toEqual([{ kind: 'firstByte', from: 0, to: 10 }])
})
