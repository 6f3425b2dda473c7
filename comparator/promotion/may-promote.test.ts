import { expect, test } from 'vitest'
import { refusalOfApproval, refusalOfChanges, refusalOfGate } from './may-promote.ts'

const hour = 3_600_000
const seen: Parameters<typeof refusalOfGate>[0] = {
  id: 'seen',
  at: new Date(hour).toISOString(),
  verdict: 'pass',
  reason: 'every check passes',
  window: { primaryVersion: '1', candidateVersion: '1', policyDigest: 'p' },
  inputs: { windowId: 1 },
}
const newer = { ...seen, id: 'newer' }
const ofOtherModel = { ...newer, window: { ...seen.window, candidateVersion: '2' }, inputs: { windowId: 2 } }
const failing = { verdict: 'fail', reason: 'agreement is too low' } as const

test('while the gate passes, an evaluation holds for an hour, and for longer if it is still the newest', () => {
  expect(refusalOfGate(seen, newer, 2 * hour)).toBeUndefined()
  expect(refusalOfGate(seen, newer, 2 * hour + 1)).toEqual({
    code: 'GATE_STALE',
    message: 'that evaluation is more than an hour old; review the gate again',
  })
  expect(refusalOfGate(seen, seen, 1000 * hour)).toBeUndefined()
})

test('an evaluation that did not pass, or no longer does, promotes nothing, and the refusal says why', () => {
  expect(refusalOfGate({ ...seen, ...failing }, newer, 0)).toEqual({
    code: 'GATE_NOT_PASSED',
    message: "the gate's verdict is fail: agreement is too low",
  })
  expect(refusalOfGate({ ...seen, verdict: 'inconclusive', reason: 'too little' }, newer, 0)).toMatchObject({
    code: 'GATE_NOT_PASSED',
  })
  expect(refusalOfGate(seen, { ...newer, ...failing }, 0)).toEqual({
    code: 'GATE_STALE',
    message: 'the gate passed then; its verdict is now fail: agreement is too low',
  })
})

test('a change of models or policy since the evaluation makes it stale, even where the gate passes again', () => {
  const stale = { code: 'GATE_STALE' }
  const change = 'the candidate is now version 2 (was 1)'
  const again = { ...stale, message: `since that evaluation, ${change}; review the gate again` }
  expect(refusalOfGate(seen, ofOtherModel, 0)).toEqual(again)
  expect(refusalOfChanges(seen, ofOtherModel)).toEqual(again)
  expect(refusalOfChanges(seen, { ...newer, ...failing })).toBeUndefined()
  expect(refusalOfApproval(seen, ofOtherModel)).toEqual({
    ...stale,
    message: `since the request, ${change}; close it and request promotion again on the current gate`,
  })
  expect(refusalOfApproval(seen, newer)).toBeUndefined()
})
