import { expect, test } from 'vitest'
import { exitOfReplay } from './gate.ts'

test('a replay that ran out of time is inconclusive, unless an evaluation came out differently', () => {
  const summary = { same: 3, different: 0, notReplayable: 2, leftOut: 0 }
  expect(exitOfReplay(summary)).toBe(0)
  expect(exitOfReplay({ ...summary, leftOut: 1 })).toBe(3)
  expect(exitOfReplay({ ...summary, different: 1, leftOut: 1 })).toBe(1)
  expect(exitOfReplay({ ...summary, same: 0 })).toBe(3)
})
