import { expect, test } from 'vitest'
import { distributionPlot } from '../distribution/distribution-plot.ts'

const pair = { edges: [0, 1, 2], primary: [3, 4], candidate: [5, 2] }
const plot = (units?: string) => distributionPlot({ pair, unit: 'none', units, lines: [], psi: null, width: 400 })

test('the value axis is labelled with its units if the mapping names them, with room for the label', () => {
  expect(plot('°C')).toMatchObject({ x: { label: '°C →' }, marginBottom: 44 })
  expect(plot().x?.label).toBeNull()
  expect(plot()).not.toHaveProperty('marginBottom')
})

test('the label of a tick at either edge stays inside the chart', () => {
  const halfLabelPx = ('1,000 ms'.length * 6.4) / 2
  const { marginLeft, marginRight } = plot()
  expect(Math.min(Number(marginLeft), Number(marginRight))).toBeGreaterThanOrEqual(halfLabelPx)
})
