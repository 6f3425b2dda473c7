import { expect, test } from 'vitest'
import { boundText, valueText } from './cell-text.ts'

const bounded = (estimate: number, lower: number | null, upper: number | null) => ({ estimate, lower, upper, n: 1000 })

test('an estimate has the unit and digits of the bound below it', () => {
  const long = bounded(11_441.3, 11_104.2, 11_791.4)
  expect([valueText('candidate', 11_441.3, long), boundText('candidate', long)]).toEqual([
    '11,441\u00a0ms',
    '11,104 to 11,791',
  ])
  const apart = bounded(0.418, 0.391, 0.452)
  expect([valueText('delta', 0.418, apart), boundText('delta', apart)]).toEqual(['+0.418\u00a0ms', '0.391 to 0.452'])
  const alike = bounded(10_993.56, 10_993.56, 10_993.56)
  expect([valueText('primary', 10_993.56, alike), boundText('primary', alike)]).toEqual([
    '10,994\u00a0ms',
    '10,994 to 10,994',
  ])
})

test('an estimate and its bound stop at microseconds, and a zero difference has no plus', () => {
  const pair = (estimate: number, lower: number, upper: number) => {
    const of = bounded(estimate, lower, upper)
    return [valueText('delta', estimate, of), boundText('delta', of)]
  }
  expect(pair(12.0006, 12, 12.00122)).toEqual(['+12.001\u00a0ms', '12.000 to 12.001'])
  expect(pair(0.0001, -0.0004, 0.0009)).toEqual(['0.000\u00a0ms', '0.000 to 0.001'])
  expect(pair(0.0002, 0.0001, 0.0003)).toEqual(['+0.00020\u00a0ms', '0.00010 to 0.00030'])
})

test('a bound that is open at one end shows the other end', () => {
  const open = bounded(41.86, 39.2, null)
  expect([valueText('primary', 41.86, open), boundText('primary', open)]).toEqual(['41.9\u00a0ms', '≥\u00a039.2'])
  expect(boundText('ratio', bounded(0.79, null, 0.9))).toBe('≤\u00a00.90')
  expect(boundText('primary', bounded(41.86, null, null))).toBe('')
})

test('a ratio has the digits of its bound too, whose ends never read the same', () => {
  const cell = (ratio: number, lower: number, upper: number) => {
    const of = bounded(ratio, lower, upper)
    return [valueText('ratio', ratio, of), boundText('ratio', of)]
  }
  expect(cell(2321.17, 2079.05, 2492.18)).toEqual(['×\u00a02,321', '2,079 to 2,492'])
  expect(cell(12.44, 11.01, 14)).toEqual(['×\u00a012.4', '11.0 to 14.0'])
  expect(cell(0.00431, 0.0041, 0.00452)).toEqual(['×\u00a00.00431', '0.00410 to 0.00452'])
  expect(cell(0.2805, 0.2789, 0.2822)).toEqual(['×\u00a00.2805', '0.2789 to 0.2822'])
  expect(cell(0, 0, 0.1)).toEqual(['×\u00a00', '0 to 0.100'])
})

test('without a bound it has about three digits', () => {
  expect(valueText('primary', 12_412, undefined)).toBe('12.4\u00a0s')
  expect(valueText('ratio', 0.7912, undefined)).toBe('×\u00a00.79')
  expect(valueText('ratio', 0, undefined)).toBe('×\u00a00')
  expect(valueText('ratio', 0.7912, bounded(0.7912, 0.7, 0.9))).toBe('×\u00a00.79')
  expect(boundText('ratio', bounded(0.7912, 0.7, 0.9))).toBe('0.70 to 0.90')
})
