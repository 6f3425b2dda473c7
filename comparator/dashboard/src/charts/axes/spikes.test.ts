import { expect, test } from 'vitest'
import { peaksOver, spikeCap } from './spikes.ts'

const calm = Array.from({ length: 40 }, () => 25)

test('one spike does not flatten the values that a limit applies to', () => {
  expect(spikeCap([...calm, 1000], [40], 1050)).toBe(120)
})

test('a scale without a spike, without a limit, or with many values far beyond it stays as it is', () => {
  expect(spikeCap(calm, [40], 60)).toBe(60)
  expect(spikeCap([...calm, 1000], [], 1050)).toBe(1050)
  expect(spikeCap([...calm, ...calm.map((value) => 20 * value)], [40], 550)).toBe(550)
  expect(spikeCap([...calm, 1000], [-1], 1050)).toBe(1050)
})

test('the highest value of each run beyond the scale is labelled', () => {
  const points = [30, 500, 900, 700, null, 200, 30, 130].map((value, i) => ({ at: new Date(i), value }))
  expect(peaksOver(points, 120).map(({ at, value }) => [Number(at), value])).toEqual([
    [2, 900],
    [5, 200],
    [7, 130],
  ])
  expect(peaksOver(points, 1000)).toEqual([])
})
