import { expect, test } from 'vitest'
import { histogramShares, stepOutline } from './histogram-shares.ts'

test('each leg is a share of its own total', () => {
  const bins = histogramShares({ edges: [1, 2, 4], primary: [30, 10], candidate: [1, 1] }, false)
  expect(bins).toEqual([
    { from: 1, to: 2, width: 1, primary: 0.75, candidate: 0.5 },
    { from: 2, to: 4, width: 2, primary: 0.25, candidate: 0.5 },
  ])
})

test('a leg without any count has shares of zero', () => {
  expect(histogramShares({ edges: [1, 2], primary: [0], candidate: [3] }, false)[0]).toMatchObject({ primary: 0 })
})

test('a logarithmic axis gets no edge at or under zero', () => {
  const bins = histogramShares({ edges: [-1, 0, 2, 4], primary: [1, 1, 2], candidate: [0, 0, 1] }, true)
  expect(bins.map((bin) => bin.from)).toEqual([1, 2])
})

test('an outline runs from the first filled bin to the last and closes at zero', () => {
  const bins = histogramShares({ edges: [0, 1, 2, 3, 4], primary: [0, 1, 3, 0], candidate: [0, 0, 0, 0] }, false)
  expect(stepOutline(bins, 'primary')).toEqual([
    { x: 1, y: 0 },
    { x: 1, y: 0.25 },
    { x: 2, y: 0.25 },
    { x: 2, y: 0.75 },
    { x: 3, y: 0.75 },
    { x: 3, y: 0 },
  ])
  expect(stepOutline(bins, 'candidate')).toEqual([])
})

test('a wide bin is not drawn taller for being wide', () => {
  const [narrow, wide] = histogramShares({ edges: [1, 2, 4], primary: [1, 2], candidate: [1, 1] }, false)
  const outline = stepOutline([narrow!, wide!], 'primary')
  expect(outline[1]!.y).toBeCloseTo(outline[3]!.y)
  const octaves = histogramShares({ edges: [1, 2, 4], primary: [1, 1], candidate: [1, 1] }, true)
  expect(octaves[0]!.width).toBeCloseTo(octaves[1]!.width)
})
