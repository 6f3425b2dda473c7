import { expect, test } from 'vitest'
import { LogPace } from './log-pace.ts'

test('each key has one line in its time, which says how many were left out before it', () => {
  let now = 5000
  const pace = new LogPace(1000, { now: () => now, monotonic: () => now })
  expect(['a', 'a', 'b', 'a'].map((key) => pace.due(key))).toEqual([0, undefined, 0, undefined])
  now += 999
  expect(pace.due('a')).toBe(undefined)
  now += 1
  expect(['a', 'a', 'b'].map((key) => pace.due(key))).toEqual([3, undefined, 0])
})
