import { expect, test } from 'vitest'
import type { DecidingCheck } from '../../../../vocabulary/api/glance.ts'
import { sparklineShape } from './sparkline-shape.ts'

const check = (values: (number | null)[], more: Partial<DecidingCheck> = {}): DecidingCheck => ({
  metric: 'agreement',
  estimate: 0.9,
  lower: 0.85,
  upper: 0.95,
  limit: { min: 0.8 },
  n: 100,
  verdict: 'pass',
  sparkline: { from: '2026-11-01T00:00:00Z', stepMs: 3_600_000, values },
  ...more,
})

test('a step without evidence is a gap, and a single value is a dot', () => {
  const { paths, dots } = sparklineShape(check([0.9, 0.91, null, 0.92, null, 0.9, 0.9]), [0, 1])
  expect(paths).toHaveLength(2)
  expect(dots).toEqual([{ x: 50, y: expect.any(Number) }])
  expect(paths[0]).toMatch(/^M0 [\d.]+L16.7 [\d.]+$/)
})

test('limit, values and bound all lie in the picture, and a minimum forbids what is below it', () => {
  const { limits, interval } = sparklineShape(check([0.9, 0.91]), [0, 1])
  expect(limits).toEqual([{ y: expect.any(Number), forbids: 'below' }])
  expect(interval!.upper).toBeGreaterThan(0)
  expect(interval!.upper).toBeLessThan(interval!.estimate)
  expect(interval!.lower).toBeLessThan(limits[0]!.y)
  expect(limits[0]!.y).toBeLessThan(100)
})

test('a bound that is open on one side reaches the edge of the picture there', () => {
  expect(sparklineShape(check([0.9, 0.91], { lower: null }), [0, 1]).interval).toMatchObject({ lower: 100 })
  expect(sparklineShape(check([0.9, 0.91], { upper: null }), [0, 1]).interval).toMatchObject({ upper: 0 })
})

test('the first value of all stands at the right end', () => {
  expect(sparklineShape(check([0.9]), [0, 1]).dots).toEqual([{ x: 100, y: expect.any(Number) }])
})

test('a bound wider than the metric can be does not flatten the line', () => {
  const wide = sparklineShape(check([0.9, 0.95], { lower: -20, upper: 30 }), [0, 1])
  const [from, to] = wide.paths[0]!.match(/ ([\d.]+)/g)!.map(Number)
  expect(from! - to!).toBeGreaterThan(2)
})

test('without any evidence there is no line and no interval, but the limit is shown', () => {
  const shape = sparklineShape(check([], { estimate: null, lower: null, upper: null }), [0, 1])
  expect(shape).toMatchObject({ paths: [], dots: [], interval: null })
  expect(shape.limits[0]!.y).toBeGreaterThan(0)
})
