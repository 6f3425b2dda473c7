import { expect, test } from 'vitest'
import { decideRollout } from './rollout.ts'

const pass = { verdict: 'pass', reason: 'fine', holds: false } as const
const fail = { verdict: 'fail', reason: 'it fails', holds: true } as const
const doubt = { verdict: 'inconclusive', reason: 'who knows', holds: true } as const
const input = {
  rollout: { steps: [10, 100], stepDuration: 1000 },
  livePercent: 10,
  stepAt: 0,
  gate: pass,
  live: pass,
  changed: [],
  override: false,
  now: 1000,
} satisfies Parameters<typeof decideRollout>[0]
const decide = (change: Partial<Parameters<typeof decideRollout>[0]>) => decideRollout({ ...input, ...change })

test('a step that has lasted long enough advances while both gates pass, and the last one completes', () => {
  expect(decide({})).toEqual({ kind: 'advance', step: 1 })
  expect(decide({ now: 999 })).toMatchObject({ kind: 'hold' })
  expect(decide({ livePercent: 100 })).toEqual({ kind: 'complete' })
})

test('after the steps are changed, a rollout goes on from its live share', () => {
  const rollout = (steps: number[]) => ({ rollout: { ...input.rollout, steps }, livePercent: 25 })
  expect(decide(rollout([50, 100]))).toEqual({ kind: 'advance', step: 0 })
  expect(decide(rollout([1, 5, 10, 20, 30]))).toEqual({ kind: 'advance', step: 4 })
  expect(decide(rollout([1, 20]))).toEqual({ kind: 'complete' })
})

test('if either gate fails, traffic goes back at once, before the step is over', () => {
  expect(decide({ gate: fail, now: 1 })).toEqual({ kind: 'rollBack', reason: 'it fails' })
  expect(decide({ live: fail, now: 1 })).toEqual({ kind: 'rollBack', reason: 'it fails' })
})

test('an inconclusive verdict of either gate holds the step for as long as it lasts', () => {
  expect(decide({ gate: doubt, now: 1e9 })).toEqual({ kind: 'hold', reason: 'who knows' })
  expect(decide({ live: doubt, now: 1e9 })).toEqual({ kind: 'hold', reason: 'who knows' })
})

test('where no live evidence is expected, the window’s gate alone decides', () => {
  const silence = { verdict: 'inconclusive', reason: 'nothing came', holds: false } as const
  expect(decide({ live: silence })).toMatchObject({ kind: 'advance' })
  expect(decide({ live: silence, gate: doubt })).toMatchObject({ kind: 'hold' })
  expect(decide({ live: silence, gate: fail })).toMatchObject({ kind: 'rollBack' })
})

test("an override sets aside the window's gate, but never the live gate", () => {
  expect(decide({ override: true, gate: fail })).toMatchObject({ kind: 'advance' })
  expect(decide({ override: true, gate: fail, live: fail })).toMatchObject({ kind: 'rollBack' })
})

test('a change of model or policy since the approval rolls back, even under an override', () => {
  const changed = ['the candidate is now version 4 (was 3)', 'the policy changed']
  const reason = 'Since the approval, the candidate is now version 4 (was 3); the policy changed.'
  expect(decide({ changed })).toEqual({ kind: 'rollBack', reason })
  expect(decide({ changed: changed.slice(1) })).toMatchObject({ reason: 'Since the approval, the policy changed.' })
  expect(decide({ changed, override: true })).toEqual({ kind: 'rollBack', reason })
})
