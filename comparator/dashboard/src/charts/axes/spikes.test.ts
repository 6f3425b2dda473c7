import { expect, test } from 'vitest'
import { labelPeaks, peaksOver, spikeCap } from './spikes.ts'

const calm = Array.from({ length: 40 }, () => 25)

test('one spike does not flatten the values that a limit applies to', () => {
  expect(spikeCap([...calm, 1000], [40], 1050)).toBe(120)
})

test('a scale without a spike, without a limit, or with many values far beyond it stays as it is', () => {
  expect(spikeCap(calm, [40], 60)).toBe(60)
  // a wide band
  expect(spikeCap(calm, [40], 500)).toBe(500)
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

test('of peaks too close to each other, the highest has its value and the others a mark; none leaves the chart', () => {
  const minutes = (count: number) => new Date(count * 60_000)
  const times = Array.from({ length: 101 }, (_, i) => minutes(i))
  const peaks = [
    { at: minutes(0), value: 417 },
    { at: minutes(32), value: 482 },
    { at: minutes(44), value: 685 },
    // 3 px from it
    { at: minutes(52.625), value: 300 },
    { at: minutes(56), value: 417 },
    { at: minutes(100), value: 903 },
  ]
  const labels = labelPeaks(peaks, 'ms', times, 476)
  const byTime = labels.toSorted((a, b) => Number(a.at) - Number(b.at))
  const plain = byTime.map(({ text }) => text.replace(/\s/g, ' '))
  expect(plain).toEqual(['▲ 417 ms', '▲', '▲ 685 ms', '▲', '▲ 903 ms'])
  // 4 px a minute; a label is 56 px wide, and its centre is what is placed
  expect(byTime.map(({ at }) => Number(at) / 15_000)).toEqual([28, 128, 176, 224, 388])
})
