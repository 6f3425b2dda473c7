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

/** The vertical range of two lines of accuracy whose bounds are all alike. */
function rangeOf(primary: number[], candidate: number[], lower: number, upper: number): number[] {
  const series = primary.map((value, k) => ({
    at: new Date(k * 60_000).toISOString(),
    samples: 40,
    accuracy: { primary: value, candidate: candidate[k] },
  }))
  const bounds = { lower: series.map(() => lower), upper: series.map(() => upper) }
  const seriesBounds = { 'accuracy.primary': bounds, 'accuracy.candidate': bounds }
  const { y } = legsPlot({
    metrics: { ...metrics, series, seriesBounds } as unknown as MetricsView,
    names: { primary: 'accuracy.primary', candidate: 'accuracy.candidate' },
    limits: [],
    zero: false,
    height,
    width: 400,
  })
  return [...(y!.domain as number[])].map((end) => Number(end.toFixed(6)))
}

test('wide bands leave both lines at least a third of the height', () => {
  expect(rangeOf([0.7, 0.68], [0.66, 0.67], 0.1, 1)).toEqual([0.62, 0.74])
  expect(rangeOf([0.7, 0.68], [0.66, 0.67], 0.65, 0.71)).toEqual([0.6428, 0.7172])
})

test('bands around two lines that coincide extend the height by a tenth of their value', () => {
  expect(rangeOf([0.7, 0.7], [0.7, 0.7], 0.1, 1)).toEqual([0.63, 0.77])
})
