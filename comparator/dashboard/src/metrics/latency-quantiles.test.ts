import { expect, test } from 'vitest'
import { limitsOn, quantileShown } from './latency-quantiles.ts'

const check = (metric: string, more: object = {}) => ({ metric, reportOnly: false, ...more })

test('the quantile drawn is the reader’s, else the gate’s, else p95', () => {
  const gate = [check('agreement'), check('latency.delta.p90', { reportOnly: true }), check('latency.candidate.p99')]
  expect(quantileShown('latency.primary.p50', gate)).toBe('p50')
  expect(quantileShown('agreement', gate)).toBe('p99')
  expect(quantileShown(null, gate.slice(0, 2))).toBe('p90')
  expect(quantileShown(null, [check('latency.candidate.mean')])).toBe('p95')
})

test('a limit relative to another metric has no place on the metric’s own scale', () => {
  const gate = [
    check('latency.candidate.p99', { max: 250 }),
    check('latency.candidate.p99', { relativeTo: 'primary', maxRatio: 1.1 }),
    check('latency.candidate.p95', { max: 100 }),
  ]
  expect(limitsOn('latency.candidate.p99', gate)).toEqual([{ value: 250, side: 'max' }])
})
