import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import { expect, test } from 'vitest'
import type { Unit } from '../../metrics/metric-info.ts'
import { axisTicks, limitOnAxis } from './axis-ticks.ts'

/** As they appear in the picture: Plot passes all ticks to the format function. */
function ticksOf(unit: Unit, domain: [number, number], type: 'linear' | 'log' = 'linear'): (string | null)[] {
  const { document } = parseHTML('<html><body></body></html>')
  const y = { type, domain, label: null, ticks: 4, tickFormat: axisTicks(unit, type === 'log' ? domain : undefined) }
  const svg = Plot.plot({ document, y, marks: [Plot.ruleY(domain)] })
  return [...svg.querySelectorAll('[aria-label="y-axis tick label"] text')].map(({ textContent }) => textContent)
}

test('an axis that extends to seconds has all its ticks in seconds', () => {
  expect(ticksOf('ms', [0, 16_000])).toEqual(['0', '5 s', '10 s', '15 s'])
  expect(ticksOf('ms', [-6_000, 12_000])).toEqual(['−5 s', '0', '5 s', '10 s'])
  expect(ticksOf('ms', [0, 8_000])).toEqual(['0', '2,000 ms', '4,000 ms', '6,000 ms', '8,000 ms'])
})

test('a limit is shown in its axis’s unit, with all its digits', () => {
  expect(limitOnAxis(25_000, 'ms', 30_000)).toBe('25 s')
  expect(limitOnAxis(12_345.678, 'ms')).toBe('12.345678 s')
  expect(limitOnAxis(250, 'ms', 16_000)).toBe('0.25 s')
  expect(limitOnAxis(250, 'ms', 8_000)).toBe('250 ms')
  expect(limitOnAxis(0.07, 'percent', 1)).toBe('7 %')
})

test('no two ticks read the same, however close they are', () => {
  expect(ticksOf('ms', [120, 122])).toEqual(['120 ms', '120.5 ms', '121 ms', '121.5 ms', '122 ms'])
  expect(ticksOf('ms', [12_400, 12_480])).toEqual(['12.4 s', '12.42 s', '12.44 s', '12.46 s', '12.48 s'])
  expect(ticksOf('none', [1234, 1236])).toEqual(['1,234', '1,234.5', '1,235', '1,235.5', '1,236'])
  expect(ticksOf('share', [0.949, 0.951])).toEqual(['94.9 %', '94.95 %', '95 %', '95.05 %', '95.1 %'])
  expect(ticksOf('percent', [-0.00002, 0.00006])).toEqual(['−0.002 %', '0', '0.002 %', '0.004 %', '0.006 %'])
})

test('a logarithmic axis shows digits for short times too', () => {
  expect(ticksOf('ms', [0.012, 0.033], 'log').filter(Boolean)).toEqual(['0.02 ms', '0.03 ms'])
  expect(ticksOf('ms', [0.012, 0.018], 'log').filter(Boolean)).toEqual(['0.012 ms', '0.014 ms', '0.016 ms', '0.018 ms'])
})

test('a logarithmic axis uses one unit if that is legible', () => {
  expect(ticksOf('ms', [3_800, 14_000], 'log').filter(Boolean)).toEqual(['4 s', '5 s', '10 s'])
  expect(ticksOf('ms', [100, 100_000], 'log').filter(Boolean)).toEqual(['0.1 s', '1 s', '10 s', '100 s'])
  expect(ticksOf('ms', [1, 100_000], 'log').filter(Boolean)).toEqual([
    '1 ms',
    '10 ms',
    '100 ms',
    '1,000 ms',
    '10 s',
    '100 s',
  ])
})
