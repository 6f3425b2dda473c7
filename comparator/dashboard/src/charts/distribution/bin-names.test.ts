import { expect, test } from 'vitest'
import { binNames } from './bin-names.ts'
import { distributionPlot } from './distribution-plot.ts'

test('the outermost bins are open, since they hold all values beyond them', () => {
  expect(binNames([1, 2], 'none')).toEqual(['under 1', '1 to 2', 'from 2'])
  expect(binNames([1], 'none')).toEqual(['under 1', 'from 1'])
  expect(binNames([], 'none')).toEqual(['all values'])
})

test('bins of counts are named by the counts they hold', () => {
  expect(binNames([1.5, 2.5, 5.5, 8.5], 'count')).toEqual(['under 2', '2', '3 to 5', '6 to 8', 'from 9'])
  // deciles that a rollup knows to within half a per cent
  expect(binNames([2.989, 3.995, 6.019], 'count')).toEqual(['under 3', '3', '4 to 5', 'from 6'])
})

test('what the index adds is drawn under the bars of the same counts', () => {
  const pair = { edges: [0.5, 1.5, 2.5, 3.5, 4.5], primary: [1, 2, 3, 4], candidate: [4, 3, 2, 1] }
  const shares = { primary: [0.3, 0.3, 0.4], candidate: [0.7, 0.2, 0.1] }
  const psi = { by: 'decile' as const, psi: 1, edges: [2.989, 3.995], ...shares, parts: [0.4, 0.1, 0.5] }
  const spans = (unit: 'count' | 'none') => {
    const { marks } = distributionPlot({ pair, unit, units: undefined, lines: [], psi, width: 400 })
    const strip = marks!.find((mark) => String((mark as { className?: string }).className) === 'mark-psi')
    return (strip as unknown as { data: { x1: number; x2: number }[] }).data.map(({ x1, x2 }) => [x1, x2])
  }
  expect(spans('count')).toEqual([
    [0.5, 2.5],
    [2.5, 3.5],
    [3.5, 4.5],
  ])
  expect(spans('none')).toEqual([
    [0.5, 2.989],
    [2.989, 3.995],
    [3.995, 4.5],
  ])
})

test('a distribution names its bins so', () => {
  const pair = { edges: [0, 1, 2, 3], primary: [1, 2, 3], candidate: [3, 2, 1] }
  const { marks } = distributionPlot({ pair, unit: 'none', units: undefined, lines: [], psi: null, width: 400 })
  const tip = marks?.at(-1) as unknown as {
    data: unknown[]
    channels: { title: { value: (bin: unknown, i: number) => string } }
  }
  const titles = tip.data.map((bin, i) => tip.channels.title.value(bin, i).split('\n')[0])
  expect(titles).toEqual(['under 1', '1 to 2', 'from 2'])
})
