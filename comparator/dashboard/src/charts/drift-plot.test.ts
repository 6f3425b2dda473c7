import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import { expect, test } from 'vitest'
import type { MetricsView } from '../../../../vocabulary/metrics.ts'
import { driftPlot, limitsInReach } from './drift-plot.ts'

const point = (value: number | null, lower: number | null, upper: number | null) => ({
  at: new Date(0),
  value,
  lower,
  upper,
  samples: 40,
})

test('a limit inside the band is drawn, though the line lies flat at zero', () => {
  const flat = [point(0, -0.1, 0.1), point(0, -0.08, 0.09), point(null, null, null)]
  expect(limitsInReach(flat, [-0.02, 40], [-1, Infinity])).toEqual([-0.02])
})

test('without a line every limit is drawn', () => {
  expect(limitsInReach([point(null, null, null)], [0.5], [0, 1])).toEqual([0.5])
})

test('a noise floor is a dashed line where it is measured, and none where it is not', () => {
  const bounded = { estimate: 0.98, lower: 0.97, upper: 0.99, n: 40 }
  const step = (at: number) => ({ at: new Date(at).toISOString(), samples: 40, agreement: 0.95 })
  const metrics = (noiseFloor: object | null) =>
    ({
      series: [step(0), step(60_000)],
      totals: {},
      bounds: {},
      seriesBounds: {},
      noiseFloor,
    }) as unknown as MetricsView
  const floors = (noiseFloor: object | null) => {
    const { document } = parseHTML('<html><body></body></html>')
    const picture = driftPlot({ metrics: metrics(noiseFloor), metric: 'agreement', limit: {}, height: 200, width: 400 })
    return [...Plot.plot({ document, ...picture }).querySelectorAll('.mark-floor')]
  }
  const [floor] = floors({ validation: 'itself', bounds: { agreement: bounded } })
  expect(floor!.getAttribute('stroke-dasharray')).toBe('8 4')
  expect(floor!.querySelectorAll('line').length).toBe(1)
  expect(floors(null)).toEqual([])
})
