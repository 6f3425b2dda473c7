import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import { expect, test } from 'vitest'
import type { MetricsView } from '../../../../../vocabulary/api/metrics.ts'
import { legsPlot } from './legs-plot.ts'

const height = 240
const step = (at: number) => ({
  at: new Date(at).toISOString(),
  samples: 40,
  latency: { primary: { p95: 60 }, candidate: { p95: 20 } },
})
const metrics = { series: [step(0), step(60_000)], totals: {}, bounds: {}, seriesBounds: {}, noiseFloor: null }

/** Whether the label of each limit is below its line. */
function areBelow(limits: number[]): boolean[] {
  const { document } = parseHTML('<html><body></body></html>')
  const options = legsPlot({
    metrics: metrics as unknown as MetricsView,
    names: { primary: 'latency.primary.p95', candidate: 'latency.candidate.p95' },
    limits,
    zero: true,
    height,
    width: 400,
  })
  const labels = Plot.plot({ document, height, ...options }).querySelectorAll('.mark-limit-text')
  return [...labels].map(
    (label) => Number(/translate\(\S+?,(\S+?)\)/.exec(label.getAttribute('transform') ?? '')?.[1]) > 0,
  )
}

test('a limit far above both lines is not drawn', () => {
  expect(areBelow([150])).toHaveLength(1)
  expect(areBelow([151])).toHaveLength(0)
})

test('the labels of two limits do not lie on each other', () => {
  expect(areBelow([29, 30])).toEqual([true, false])
})
