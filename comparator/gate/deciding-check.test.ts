import { expect, test } from 'vitest'
import type { CheckResult } from '../../vocabulary/api/gate.ts'
import { decidingCheck } from './deciding-check.ts'

const check = (metric: string, more: Partial<CheckResult> = {}): CheckResult => ({
  metric,
  estimate: 0.95,
  lower: 0.94,
  upper: 0.96,
  limit: { min: 0.9 },
  n: 1000,
  verdict: 'pass',
  reportOnly: false,
  text: '',
  ...more,
})

test('the first failing check decides, before any inconclusive one', () => {
  const checks = [
    check('a', { verdict: 'inconclusive' }),
    check('b', { verdict: 'fail' }),
    check('c', { verdict: 'fail' }),
  ]
  expect(decidingCheck(checks)?.metric).toBe('b')
  expect(decidingCheck([check('a'), check('b', { verdict: 'inconclusive' })])?.metric).toBe('b')
})

test('of passing checks the one with the least room, in widths of its bound, decides', () => {
  const tight = check('mae', { estimate: 9, lower: 8.6, upper: 9.4, limit: { max: 9.6 } })
  expect(decidingCheck([check('agreement'), tight])?.metric).toBe('mae')
  expect(decidingCheck([tight, check('agreement')])?.metric).toBe('mae')
  const bias = { estimate: 0.2, lower: 0.1, upper: 0.3 }
  const narrow = check('bias', { ...bias, limit: { min: 0.05, max: 9 } })
  expect(decidingCheck([check('agreement'), narrow])?.metric).toBe('bias')
  expect(decidingCheck([check('agreement'), { ...narrow, limit: { max: 0.35 } }])?.metric).toBe('bias')
  expect(decidingCheck([check('agreement'), check('recall')])?.metric).toBe('agreement')
})

test('a bound without width leaves more room than any other', () => {
  const exact = check('recall', { estimate: 0.95, lower: 0.95, upper: 0.95 })
  expect(decidingCheck([exact, check('agreement')])?.metric).toBe('agreement')
})

test("the policy's own checks come before the implied one, unless that stops the gate", () => {
  const wide = check('mae', { estimate: 1, lower: 0.9, upper: 1.1, limit: { max: 9 } })
  const errors = check('errorRate.delta', {
    ...{ estimate: 0, lower: -0.009, upper: 0.009, limit: { max: 0.01 } },
    implied: true,
  })
  expect(decidingCheck([wide, errors])?.metric).toBe('mae')
  expect(decidingCheck([wide, { ...errors, verdict: 'inconclusive' }])?.metric).toBe('errorRate.delta')
  expect(
    decidingCheck([
      { ...wide, verdict: 'inconclusive' },
      { ...errors, verdict: 'fail' },
    ])?.metric,
  ).toBe('errorRate.delta')
})

test('where all checks of the policy are report only, the first of them is shown', () => {
  const reported = check('agreement', { reportOnly: true })
  const errors = check('errorRate.delta', { implied: true })
  expect(decidingCheck([reported, errors])?.metric).toBe('agreement')
  expect(decidingCheck([reported, { ...errors, verdict: 'fail' }])?.metric).toBe('errorRate.delta')
  expect(decidingCheck([errors])?.metric).toBe('errorRate.delta')
})

test('checks that are report only or about the amount of evidence decide nothing about the model', () => {
  const reported = check('latency.delta.p95', { verdict: 'fail', reportOnly: true })
  const few = check('samples', { verdict: 'inconclusive' })
  expect(decidingCheck([few, reported, check('agreement')])?.metric).toBe('agreement')
  expect(decidingCheck([few, check('duration')])).toBeNull()
})
