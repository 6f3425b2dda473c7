import { describe, expect, test } from 'vitest'
import type { CheckResult } from '../../../../vocabulary/api/gate.ts'
import { checkFigures, findingOf, groupChecks, lackOf, ofDifferences } from './check-words.ts'

const check = (more: Partial<CheckResult>): CheckResult => ({
  metric: 'agreement',
  estimate: 0.97,
  lower: 0.96,
  upper: 0.98,
  limit: { min: 0.95 },
  n: 500,
  verdict: 'pass',
  reportOnly: false,
  text: '',
  ...more,
})
const enough = { samples: 10_000, samplesMin: 10_000 }
const few = { samples: 500, samplesMin: 10_000 }

describe('checks', () => {
  test('are grouped as failed, inconclusive, passed, and report-only last, with the deciding one first in its group', () => {
    const checks = [
      check({ metric: 'a' }),
      check({ metric: 'b', verdict: 'inconclusive' }),
      check({ metric: 'c', verdict: 'fail' }),
      check({ metric: 'd', verdict: 'fail', reportOnly: true }),
      check({ metric: 'e', verdict: 'inconclusive', decides: true }),
    ]
    const groups = groupChecks(checks, enough)
    expect(groups.map(({ name, checks }) => [name, checks.map(({ metric }) => metric)])).toEqual([
      ['fail', ['c']],
      ['inconclusive', ['e', 'b']],
      ['pass', ['a']],
      ['reportOnly', ['d']],
    ])
  })

  test('still waiting for evidence are one group, neither passed nor inconclusive', () => {
    const checks = [
      check({ metric: 'a' }),
      check({ metric: 'b', verdict: 'fail' }),
      check({ metric: 'samples' }),
      check({ metric: 'c', verdict: 'inconclusive' }),
      check({ metric: 'duration', verdict: 'inconclusive' }),
    ]
    const groups = groupChecks(checks, few)
    expect(groups.map(({ name, checks }) => [name, checks.map(({ metric }) => metric)])).toEqual([
      ['fail', ['b']],
      ['inconclusive', ['duration']],
      ['awaited', ['a', 'c']],
      ['pass', ['samples']],
    ])
  })

  test('below the minimum n say what they have and need, unless they have already failed', () => {
    expect(lackOf(check({}), few)).toBe('have 500, need 10,000')
    expect(lackOf(check({ verdict: 'inconclusive' }), few)).toBe('have 500, need 10,000')
    expect(lackOf(check({ verdict: 'fail' }), few)).toBeNull()
    expect(lackOf(check({}), enough)).toBeNull()
  })

  test('without a bound say so, but checks of the evidence itself need none', () => {
    const boundless = { verdict: 'inconclusive', lower: null, upper: null } as const
    expect(lackOf(check(boundless), enough)).toBe('have 500, no bound yet')
    expect(checkFigures(check(boundless)).bound).toBe('–')
    expect(lackOf(check({ ...boundless, n: 0, estimate: null }), enough)).toBe('nothing measured yet')
    expect(lackOf(check({ ...boundless, upper: 0.98 }), enough)).toBeNull()
    expect(lackOf(check({ metric: 'samples', verdict: 'inconclusive' }), few)).toBeNull()
  })
})

describe('a check’s figures', () => {
  const figures = (more: Partial<CheckResult>) => checkFigures(check(more))

  test('are rounded to the precision of the bound, and stay in the metric’s domain', () => {
    expect(figures({ estimate: 0.99612, lower: 0.98341, upper: 1.0021 })).toMatchObject({
      estimate: '0.9961',
      bound: '0.9834 to 1.0000',
    })
  })

  test('of latency have their unit once, and both sides', () => {
    const latency = { metric: 'latency.candidate.p99', estimate: 240.4, lower: 231, upper: 262, limit: { max: 250 } }
    expect(figures({ ...latency, sides: { primary: 410.2, candidate: 240.4 } })).toMatchObject({
      estimate: '240\u00a0ms',
      bound: '231 to 262\u00a0ms',
      primary: '410\u00a0ms',
      candidate: '240\u00a0ms',
    })
  })

  test('of a ratio to the noise floor have its own value as the other side, in the metric’s unit', () => {
    const ratio = { estimate: 1.031, lower: 1.0181, upper: 1.0442, limit: { max: 1.1 } }
    const relative = { to: 'noiseFloor', by: 'ratio' } as const
    const p50 = { ...ratio, relative, metric: 'latency.candidate.p50' }
    expect(figures({ ...p50, sides: { noiseFloor: 231.4, candidate: 238.6 } })).toMatchObject({
      estimate: '1.031',
      primary: '231\u00a0ms',
      candidate: '239\u00a0ms',
    })
  })

  test('of paired differences leave the sides blank: their quantiles do not add up', () => {
    const delta = { metric: 'latency.delta.p95', estimate: -334, lower: -350, upper: -320, limit: { max: 5 } }
    expect(figures({ ...delta, sides: { primary: 997, candidate: 179 } })).toMatchObject({
      estimate: '−334\u00a0ms',
      primary: null,
      candidate: null,
    })
    expect(ofDifferences({ metric: 'latency.delta.p95' })).toBe('p95 of each pair’s difference')
    const mean = { ...delta, metric: 'latency.delta.mean', sides: { primary: 997, candidate: 179 } }
    expect(figures(mean)).toMatchObject({ primary: '997\u00a0ms', candidate: '179\u00a0ms' })
  })

  test('are 0 only if nothing was counted, on either side and at the end of a bound', () => {
    const rate = { metric: 'errorRate.delta', estimate: 0.0017, lower: 0, upper: 0.0035, limit: { max: 0.02 } }
    expect(figures({ ...rate, sides: { primary: 0, candidate: 0.0017 } })).toMatchObject({
      bound: '0 to 0.35\u00a0%',
      primary: '0\u00a0%',
      candidate: '0.17\u00a0%',
    })
    expect(figures({ ...rate, sides: { primary: 0.00001, candidate: 0.0017 } })).toMatchObject({
      primary: '<\u00a00.01\u00a0%',
    })
    const ms = { metric: 'latency.candidate.p50', estimate: 0, lower: 0, upper: 0.4, limit: { max: 5 } }
    expect(figures(ms)).toMatchObject({ estimate: '0\u00a0ms', bound: '0 to 0.40\u00a0ms' })
  })

  test('that are known exactly say so', () => {
    expect(figures({ metric: 'samples', estimate: 7, lower: 7, upper: 7 })).toMatchObject({
      bound: 'exact',
      primary: null,
    })
  })
})

test('the age of the evidence is in words, all else in figures', () => {
  const age = { metric: 'age', n: 5 }
  expect(findingOf({ ...age, verdict: 'pass' })).toBe('recent enough')
  expect(findingOf({ ...age, verdict: 'inconclusive' })).toBe('too old')
  expect(findingOf({ ...age, verdict: 'inconclusive', n: 0 })).toBe('nothing measured yet')
  expect(findingOf({ metric: 'samples', verdict: 'inconclusive', n: 5 })).toBeNull()
})
