import { describe, expect, test } from 'vitest'
import type { MetricsView } from '../../../../vocabulary/api/metrics.ts'
import { driftDomain, driftPoints, isolated } from './drift-points.ts'
import { checkInfo, legOf, metricInfo } from './metric-info.ts'
import { valueAt } from './value-at.ts'

describe('a value', () => {
  const tree = { mae: 8.4, maeTruth: { primary: 40 }, latency: { candidate: { p99: 12 } }, kappa: null }
  test('is found by its dotted name', () => {
    expect(valueAt(tree, 'latency.candidate.p99')).toBe(12)
    expect(valueAt(tree, 'mae')).toBe(8.4)
    expect(valueAt(tree, 'mae.primary')).toBe(40)
  })
  test('is null if there is none', () => {
    for (const name of ['kappa', 'latency', 'latency.primary.p99', 'mae.candidate', 'rmse.x']) {
      expect(valueAt(tree, name)).toBeNull()
    }
  })
})

describe('what a metric means', () => {
  test('its unit is ms for times only', () => {
    expect(metricInfo('latency.delta.p95').unit).toBe('ms')
    expect(metricInfo('latency.ratio.p95').unit).toBe('none')
    expect(metricInfo('latency.slower')).toMatchObject({ unit: 'none', domain: [0, 1] })
  })
  test('counts, spans and shares are formatted as such', () => {
    expect(['samples', 'duration', 'coverage'].map((name) => metricInfo(name).unit)).toEqual(['count', 'span', 'share'])
  })
  test('error rates are in per cent, as in the live gate', () => {
    const units = ['errorRate.candidate', 'errorRate.delta', 'outputs.price.errorRate.primary'].map(metricInfo)
    expect(units.map(({ unit }) => unit)).toEqual(['percent', 'percent', 'percent'])
  })
  test('a difference may be negative, a share may not', () => {
    expect(metricInfo('errorRate.delta').domain).toEqual([-1, 1])
    expect(metricInfo('agreement').domain).toEqual([0, 1])
    expect(metricInfo('latency.delta.p95').domain).toEqual([-Infinity, Infinity])
  })
  test('a check’s ratio has no unit, its difference has the metric’s', () => {
    const relative = (by: 'ratio' | 'difference') =>
      checkInfo({ metric: 'latency.candidate.p99', relative: { to: 'primary', by } })
    expect(relative('ratio')).toMatchObject({ unit: 'none', domain: [0, Infinity] })
    expect(relative('ratio').label).toMatch(/÷ the primary’s$/)
    expect(relative('difference')).toMatchObject({ unit: 'ms', domain: [-Infinity, Infinity] })
    expect(checkInfo({ metric: 'agreement' })).toEqual(metricInfo('agreement'))
  })
  test('a metric with quantiles beside it is found there', () => {
    expect(valueAt({ cosine: 0.9, cosineQuantiles: { p05: 0.8 } }, 'cosine.p05')).toBe(0.8)
  })
  test.each([
    ['latency.candidate.p99', 'candidate'],
    ['outputs.price.outputDrift.primary.psi', 'primary'],
    ['outputs.candidate.mae', null],
    ['outputs.primary.errorRate.candidate', 'candidate'],
  ])('%s is of the side %s, whatever its output is called', (name, leg) => {
    expect(legOf(name)).toBe(leg)
  })
  test('an unknown metric keeps its name', () => {
    expect(metricInfo('cleverness').label).toBe('cleverness')
  })
})

describe('drift over time', () => {
  const series: MetricsView['series'] = [
    { at: '2026-11-21T08:00:00Z', samples: 3, agreement: 0.9 },
    { at: '2026-11-21T08:00:01Z', samples: 0, agreement: null },
    { at: '2026-11-21T08:00:02Z', samples: 300, agreement: 0.99 },
  ]
  const agreement = { lower: [0, null, 0.97], upper: [1, null, 1] }

  test('a step without samples is a gap, not a zero', () => {
    const points = driftPoints({ series, seriesBounds: { agreement } }, 'agreement')
    expect(points[1]).toMatchObject({ value: null, lower: null, upper: null, samples: 0 })
    expect(points[2]).toMatchObject({ value: 0.99, lower: 0.97, upper: 1, samples: 300 })
  })
  test('one nearly empty step does not flatten the axis', () => {
    const points = driftPoints(
      {
        series: [...series, series[2]!],
        seriesBounds: { agreement: { lower: [...agreement.lower, 0.97], upper: [...agreement.upper, 1] } },
      },
      'agreement',
    )
    const [low, high] = driftDomain(points, [0.95], [0, 1])
    expect(low).toBeGreaterThan(0.8)
    expect(low).toBeLessThan(0.9)
    expect(high).toBe(1)
  })
  test('nearly empty steps alone do not flatten the line, however wide their bounds', () => {
    const at = new Date(0)
    const points = [0.1, 0.3, 0.2].map((value) => ({ at, value, lower: 0, upper: 130, samples: 20 }))
    const [low, high] = driftDomain(points, [1], [0, Number.POSITIVE_INFINITY])
    expect(low).toBe(0)
    expect(high).toBeGreaterThan(1)
    expect(high).toBeLessThan(6)
    // with a single value there is nothing but bounds to show
    const [, ofOne] = driftDomain(points.slice(0, 1), [], [0, Number.POSITIVE_INFINITY])
    expect(ofOne).toBeGreaterThan(130)
  })
  test('has an axis before the first value', () => {
    expect(driftDomain([], [], [0, 1])).toEqual([0, 1])
  })
})

test('points between two gaps are the ones that no line shows, up to where the scale ends', () => {
  const values = [1, null, 2, null, 9, null, 3, 3, null, 4]
  const alone = (cap: number) => isolated(values, (value) => value, cap)
  expect(alone(Number.POSITIVE_INFINITY)).toEqual([1, 2, 9, 4])
  expect(alone(4)).toEqual([1, 2, 4])
})
