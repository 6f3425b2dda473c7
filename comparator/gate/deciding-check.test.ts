import { expect, test } from 'vitest'
import type { CheckResult } from '../../vocabulary/gate.ts'
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

test('the first that fails decides, before the undecided', () => {
  const checks = [
    check('a', { verdict: 'inconclusive' }),
    check('b', { verdict: 'fail' }),
    check('c', { verdict: 'fail' }),
  ]
  expect(decidingCheck(checks)?.metric).toBe('b')
  expect(decidingCheck([check('a'), check('b', { verdict: 'inconclusive' })])?.metric).toBe('b')
})

test('of those that pass, the one with the least room in its own widths decides', () => {
  const tight = check('mae', { estimate: 9, lower: 8.6, upper: 9.4, limit: { max: 9.6 } })
  expect(decidingCheck([check('agreement'), tight])?.metric).toBe('mae')
})

test('what the policy asks comes before what every gate has, unless that is what stops it', () => {
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

test('where nothing that the policy asks has a say, what it reports is drawn', () => {
  const reported = check('agreement', { reportOnly: true })
  const errors = check('errorRate.delta', { implied: true })
  expect(decidingCheck([reported, errors])?.metric).toBe('agreement')
  expect(decidingCheck([errors])?.metric).toBe('errorRate.delta')
})

test('what only reports, and how much evidence there is, decide nothing about the model', () => {
  const reported = check('latency.delta.p95', { verdict: 'fail', reportOnly: true })
  const few = check('samples', { verdict: 'inconclusive' })
  expect(decidingCheck([few, reported, check('agreement')])?.metric).toBe('agreement')
  expect(decidingCheck([few, check('duration')])).toBeNull()
})
