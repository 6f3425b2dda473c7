import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import { expect, test } from 'vitest'
import type { MetricsView } from '../../../../../vocabulary/api/metrics.ts'
import { driftPlot, limitsInReach } from './drift-plot.ts'

const point = (value: number | null, lower: number | null, upper: number | null) => ({
  at: new Date(0),
  value,
  lower,
  upper,
  samples: 40,
})

test('a limit inside the band is drawn, even if the line is flat at zero', () => {
  const flat = [point(0, -0.1, 0.1), point(0, -0.08, 0.09), point(null, null, null)]
  expect(limitsInReach(flat, [-0.02, 40], [-1, Infinity])).toEqual([-0.02])
})

test('without a line every limit is drawn', () => {
  expect(limitsInReach([point(null, null, null)], [0.5], [0, 1])).toEqual([0.5])
})

const step = (at: number) => ({ at: new Date(at).toISOString(), samples: 40, agreement: 0.95, mae: 1 })
const metricsWith = (noiseFloor: object | null) =>
  ({ series: [step(0), step(60_000)], totals: {}, bounds: {}, seriesBounds: {}, noiseFloor }) as unknown as MetricsView
const drawn = (input: Omit<Parameters<typeof driftPlot>[0], 'width'>) => {
  const { document } = parseHTML('<html><body></body></html>')
  return Plot.plot({ document, height: input.height, ...driftPlot({ ...input, width: 400 }) })
}

/** Whether a limit's label is below its line. */
const isBelow = (label: Element | null) =>
  Number(/translate\(\S+?,(\S+?)\)/.exec(label!.getAttribute('transform') ?? '')?.[1]) > 0

test('the topmost line of a low chart has its label below it, away from event markers', () => {
  const below = (height: number, limit: object) =>
    isBelow(drawn({ metrics: metricsWith(null), metric: 'mae', limit, height }).querySelector('.mark-limit-text'))
  expect(below(150, { max: 2 })).toBe(true)
  expect(below(300, { max: 2 })).toBe(false)
  expect(below(150, { min: 0.5 })).toBe(false)
})

test('of two limits, the lower one has its label below its line and the upper one above', () => {
  const plot = drawn({ metrics: metricsWith(null), metric: 'bias', limit: { min: -0.1, max: 0.1 }, height: 300 })
  const labels = [...plot.querySelectorAll('.mark-limit-text')].map((label) => [label.textContent, isBelow(label)])
  expect(labels).toEqual([
    ['limit −0.1', true],
    ['limit 0.1', false],
  ])
})

test.each([
  ['just above it', [0.5, 1, 0.93, 0.93], 0.95, 240, true],
  ['just below it', [0.5, 1, 0.95, 0.95], 0.93, 240, false],
  ['at the bottom, where there is no room below', [1], 0.945, 140, false],
])('a limit’s label leaves the newest values in sight: %s', (_where, earlier, newest, height, expected) => {
  const agreement = (k: number) => (k < 28 ? earlier[k % earlier.length] : newest)
  const series = Array.from({ length: 40 }, (_, k) => ({ ...step(k * 60_000), agreement: agreement(k) }))
  const metrics = { ...metricsWith(null), series } as MetricsView
  const plot = drawn({ metrics, metric: 'agreement', limit: { min: 0.94 }, height })
  expect(isBelow(plot.querySelector('.mark-limit-text'))).toBe(expected)
})

test('a point between two gaps is a dot, except a spike that the scale cuts off', () => {
  const values = [...Array.from({ length: 20 }, () => 1), null, 1.5, null, 50, null]
  const series = values.map((mae, at) => ({ ...step(at * 60_000), mae }))
  const plot = drawn({ metrics: { ...metricsWith(null), series }, metric: 'mae', limit: { max: 2 }, height: 200 })
  expect(plot.querySelectorAll('.mark-dot-drift circle').length).toBe(1)
  expect([...plot.querySelectorAll('.mark-text-drift text')].map(({ textContent }) => textContent)).toEqual(['▲ 50'])
})

test('the noise floor is a dashed line if it is measured, and absent if not', () => {
  const bounded = { estimate: 0.98, lower: 0.97, upper: 0.99, n: 40 }
  const floors = (noiseFloor: object | null) => [
    ...drawn({ metrics: metricsWith(noiseFloor), metric: 'agreement', limit: {}, height: 200 }).querySelectorAll(
      '.mark-floor',
    ),
  ]
  const [floor] = floors({ validation: 'itself', bounds: { agreement: bounded } })
  expect(floor!.getAttribute('stroke-dasharray')).toBe('8 4')
  expect(floor!.querySelectorAll('line').length).toBe(1)
  expect(floors(null)).toEqual([])
})
