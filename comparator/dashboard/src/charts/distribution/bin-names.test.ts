import { expect, test } from 'vitest'
import { binNames } from './bin-names.ts'
import { distributionPlot } from './distribution-plot.ts'

test('the outermost bins are open, since they hold all values beyond them', () => {
  expect(binNames([1, 2], String)).toEqual(['under 1', '1 to 2', 'from 2'])
  expect(binNames([1], String)).toEqual(['under 1', 'from 1'])
  expect(binNames([], String)).toEqual(['all values'])
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
