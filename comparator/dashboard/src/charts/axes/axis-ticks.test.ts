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
  expect(ticksOf('ms', [0, 16_000])).toEqual(['0', '5\u00a0s', '10\u00a0s', '15\u00a0s'])
  expect(ticksOf('ms', [-6_000, 12_000])).toEqual(['−5\u00a0s', '0', '5\u00a0s', '10\u00a0s'])
  expect(ticksOf('ms', [0, 8_000])).toEqual(['0', '2,000\u00a0ms', '4,000\u00a0ms', '6,000\u00a0ms', '8,000\u00a0ms'])
})

test('a limit is shown in its axis’s unit, with all its digits', () => {
  expect(limitOnAxis(25_000, 'ms', 30_000)).toBe('25\u00a0s')
  expect(limitOnAxis(12_345.678, 'ms')).toBe('12.345678\u00a0s')
  expect(limitOnAxis(250, 'ms', 16_000)).toBe('0.25\u00a0s')
  expect(limitOnAxis(250, 'ms', 8_000)).toBe('250\u00a0ms')
  expect(limitOnAxis(0.07, 'percent', 1)).toBe('7\u00a0%')
})

test('no two ticks read the same, however close they are', () => {
  expect(ticksOf('ms', [120, 122])).toEqual([
    '120\u00a0ms',
    '120.5\u00a0ms',
    '121\u00a0ms',
    '121.5\u00a0ms',
    '122\u00a0ms',
  ])
  expect(ticksOf('ms', [12_400, 12_480])).toEqual([
    '12.4\u00a0s',
    '12.42\u00a0s',
    '12.44\u00a0s',
    '12.46\u00a0s',
    '12.48\u00a0s',
  ])
  expect(ticksOf('none', [1234, 1236])).toEqual(['1,234', '1,234.5', '1,235', '1,235.5', '1,236'])
  expect(ticksOf('share', [0.949, 0.951])).toEqual([
    '94.9\u00a0%',
    '94.95\u00a0%',
    '95\u00a0%',
    '95.05\u00a0%',
    '95.1\u00a0%',
  ])
  expect(ticksOf('percent', [-0.00002, 0.00006])).toEqual([
    '−0.002\u00a0%',
    '0',
    '0.002\u00a0%',
    '0.004\u00a0%',
    '0.006\u00a0%',
  ])
})

test('a logarithmic axis shows digits for short times too', () => {
  expect(ticksOf('ms', [0.012, 0.033], 'log').filter(Boolean)).toEqual(['0.02\u00a0ms', '0.03\u00a0ms'])
  expect(ticksOf('ms', [0.012, 0.018], 'log').filter(Boolean)).toEqual([
    '0.012\u00a0ms',
    '0.014\u00a0ms',
    '0.016\u00a0ms',
    '0.018\u00a0ms',
  ])
})

test('a logarithmic axis uses one unit if that is legible', () => {
  expect(ticksOf('ms', [3_800, 14_000], 'log').filter(Boolean)).toEqual(['4\u00a0s', '5\u00a0s', '10\u00a0s'])
  expect(ticksOf('ms', [100, 100_000], 'log').filter(Boolean)).toEqual([
    '0.1\u00a0s',
    '1\u00a0s',
    '10\u00a0s',
    '100\u00a0s',
  ])
  expect(ticksOf('ms', [1, 100_000], 'log').filter(Boolean)).toEqual([
    '1\u00a0ms',
    '10\u00a0ms',
    '100\u00a0ms',
    '1,000\u00a0ms',
    '10\u00a0s',
    '100\u00a0s',
  ])
})
