import { expect, test } from 'vitest'
import type { CheckResult, GateEvaluation } from '../../../../vocabulary/api/gate.ts'
import { gateChange } from './gate-change.ts'

const check = (metric: string, change: Partial<CheckResult> = {}): CheckResult => ({
  metric,
  estimate: 0.99,
  lower: 0.98,
  upper: 1,
  limit: { min: 0.9 },
  n: 100,
  verdict: 'pass',
  reportOnly: false,
  text: '',
  ...change,
})
const evaluation = (checks: CheckResult[], change: object = {}, window: object = {}) =>
  ({
    verdict: 'pass',
    checks,
    window: { primaryVersion: '1', candidateVersion: '7', policyDigest: 'p', ...window },
    ...change,
  }) as GateEvaluation

test('more of the same evidence changes numbers, and is no reason to ask again', () => {
  const change = gateChange(evaluation([check('a')]), evaluation([check('a', { n: 120, estimate: 0.991 })]))
  expect(change).toMatchObject({ isMaterial: false, subject: [], checks: [{ metric: 'a', turned: false }] })
  expect(gateChange(evaluation([check('a')]), evaluation([check('a')])).checks).toEqual([])
})

test('a check whose verdict changed comes first and asks again, even if the gate’s verdict stays', () => {
  const change = gateChange(
    evaluation([check('a'), check('b', { reportOnly: true })]),
    evaluation([check('a', { n: 101 }), check('b', { reportOnly: true, verdict: 'fail' })]),
  )
  expect(change.isMaterial).toBe(true)
  expect(change.checks.map(({ metric }) => metric)).toEqual(['b', 'a'])
})

test('another model, another policy, another verdict, a check more or less: asks again', () => {
  const before = evaluation([check('a')])
  expect(gateChange(before, evaluation([check('a')], {}, { candidateVersion: '8' }))).toMatchObject({
    isMaterial: true,
    subject: ['The candidate is now version 8 (was 7).'],
  })
  expect(gateChange(before, evaluation([check('a')], {}, { primaryVersion: null })).subject).toEqual([
    'The primary is now version unknown (was 1).',
  ])
  const [old, other] = [{ primaryDigest: 'sha256:a' }, { primaryDigest: 'sha256:b' }]
  expect(gateChange(evaluation([], {}, old), evaluation([], {}, other)).subject).toEqual([
    'The primary’s model file changed.',
  ])
  expect(gateChange(before, evaluation([check('a')], {}, { policyDigest: 'q' })).isMaterial).toBe(true)
  const [a, b] = [{ candidateDigest: 'sha256:a' }, { candidateDigest: 'sha256:b' }]
  expect(gateChange(evaluation([], {}, a), evaluation([], {}, b))).toMatchObject({
    isMaterial: true,
    subject: ['The candidate’s model file changed.'],
  })
  expect(gateChange(evaluation([]), evaluation([], {}, a)).isMaterial).toBe(false)
  expect(gateChange(before, evaluation([check('a')], { verdict: 'inconclusive' })).isMaterial).toBe(true)
  expect(gateChange(before, evaluation([]))).toMatchObject({ isMaterial: true, checks: [{ metric: 'a', now: null }] })
  // a check with a different limit or slice, or against something else, is a different check
  expect(gateChange(before, evaluation([check('a', { limit: { min: 0.5 } })])).checks).toHaveLength(2)
  expect(gateChange(before, evaluation([check('a', { slice: 'class=7' })])).checks).toHaveLength(2)
  const relative = { to: 'primary', by: 'ratio' } as const
  expect(gateChange(before, evaluation([check('a', { relative })])).checks).toHaveLength(2)
})
