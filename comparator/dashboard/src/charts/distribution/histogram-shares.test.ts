import { expect, test } from 'vitest'
import { histogramBars, histogramShares, isLogarithmic, placeBetween, stepOutline } from './histogram-shares.ts'

test('each leg is a share of its own total', () => {
  const bins = histogramShares({ edges: [0, 1, 3], primary: [30, 10], candidate: [1, 1] })
  expect(bins).toEqual([
    { from: 0, to: 1, width: 1, primary: 0.75, candidate: 0.5 },
    { from: 1, to: 3, width: 2, primary: 0.25, candidate: 0.5 },
  ])
})

test('a leg without any count has shares of zero', () => {
  expect(histogramShares({ edges: [1, 2], primary: [0], candidate: [3] })[0]).toMatchObject({ primary: 0 })
})

test('an outline runs from the first filled bin to the last and closes at zero', () => {
  const bins = histogramShares({ edges: [0, 1, 2, 3, 4], primary: [0, 1, 3, 0], candidate: [0, 0, 0, 0] })
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
  const [narrow, wide] = histogramShares({ edges: [0, 1, 3], primary: [1, 2], candidate: [1, 1] })
  const outline = stepOutline([narrow!, wide!], 'primary')
  expect(outline[1]!.y).toBeCloseTo(outline[3]!.y)
  const octaves = histogramShares({ edges: [1, 2, 4], primary: [1, 1], candidate: [1, 1] })
  expect(octaves[0]!.width).toBeCloseTo(octaves[1]!.width)
})

test('one sample’s bars have the area of their shares, on either axis', () => {
  const [narrow, wide] = histogramBars({ edges: [0, 1, 3], counts: [1, 3] })
  expect(narrow).toMatchObject({ share: 0.25, density: 0.25 })
  expect(wide).toMatchObject({ share: 0.75, density: 0.375 })
  const octaves = histogramBars({ edges: [1, 2, 4, 8], counts: [2, 1, 1] })
  expect(octaves[0]!.density).toBeCloseTo(2 * octaves[1]!.density)
  expect(octaves[1]!.density).toBeCloseTo(octaves[2]!.density)
})

test('bins of equal ratio are distinguished from bins of equal width', () => {
  expect(isLogarithmic([1, 2, 4, 8])).toBe(true)
  expect(isLogarithmic([1, 2, 3, 4])).toBe(false)
  expect(isLogarithmic([0, 1, 3, 9])).toBe(false)
  expect(isLogarithmic([-4, -2, -1])).toBe(false)
})

test('a value’s position is where the axis draws it', () => {
  expect(placeBetween([0, 10])(5)).toBe(0.5)
  expect(placeBetween([1, 10, 100])(10)).toBeCloseTo(0.5)
  expect(placeBetween([1, 10, 100])(0)).toBeLessThan(0)
})
