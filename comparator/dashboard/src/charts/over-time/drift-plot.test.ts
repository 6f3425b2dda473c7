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

test('the topmost line of a low chart has its label below it, away from event markers', () => {
  const below = (height: number, limit: object) => {
    const label = drawn({ metrics: metricsWith(null), metric: 'mae', limit, height }).querySelector('.mark-limit-text')
    return Number(/translate\(\S+?,(\S+?)\)/.exec(label!.getAttribute('transform') ?? '')?.[1]) > 0
  }
  expect(below(150, { max: 2 })).toBe(true)
  expect(below(300, { max: 2 })).toBe(false)
  expect(below(150, { min: 0.5 })).toBe(false)
})

test('of two limits, the lower one has its label below its line and the upper one above', () => {
  const plot = drawn({ metrics: metricsWith(null), metric: 'bias', limit: { min: -0.1, max: 0.1 }, height: 300 })
  const labels = [...plot.querySelectorAll('.mark-limit-text')].map((label) => [
    label.textContent,
    Number(/translate\(\S+?,(\S+?)\)/.exec(label.getAttribute('transform') ?? '')?.[1]) > 0,
  ])
  expect(labels).toEqual([
    ['limit −0.1', true],
    ['limit 0.1', false],
  ])
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
