import { describe, expect, test } from 'vitest'
import { randomFrom } from '../../../metrics/rollups.fixture.ts'
import { limitValue } from './limit-text.ts'
import {
  digitsFor,
  formatAlike,
  formatColumnShare,
  formatCompact,
  formatCount,
  formatCounted,
  formatEstimate,
  formatMs,
  formatPlain,
  formatShare,
  formatTiny,
  formatValue,
} from './number.ts'
import { spanText } from './span-text.ts'

describe('a share', () => {
  test('of one in a million is not shown as a hundred times as much', () => {
    expect(formatShare(1 / 1_000_000)).toBe('0.0001\u00a0%')
    expect(formatShare(3 / 10_000_000)).toBe('0.00003\u00a0%')
    expect(formatShare(0.0004)).toBe('0.04\u00a0%')
  })
  test('is never rounded up to 100 % or down to 0 %', () => {
    expect(formatShare(0.99996)).toBe('99.99\u00a0%')
    expect(formatShare(0.00001)).toBe('0.001\u00a0%')
    expect(formatShare(1e-30)).toBe('0.00000001\u00a0%')
    expect(formatShare(1)).toBe('100\u00a0%')
    expect(formatShare(0)).toBe('0\u00a0%')
  })
  test('drops digits that carry no information', () => {
    expect(formatShare(0.95)).toBe('95\u00a0%')
    expect(formatShare(0.982)).toBe('98.2\u00a0%')
    expect(formatShare(0.9987)).toBe('99.87\u00a0%')
  })
  test('is never rounded onto a limit that it misses', () => {
    expect(formatShare(0.89996, 0.9)).toBe('89.996\u00a0%')
    expect(formatShare(0.9, 0.9)).toBe('90\u00a0%')
  })
  test('that is an estimate is never rounded onto a limit at either end', () => {
    const info = { unit: 'share' as const, domain: [0, 1] as [number, number] }
    expect(formatEstimate(0.94996, info, 2, { min: 0.95 })).toBe('94.996\u00a0%')
    expect(formatEstimate(0.94996, info, 2, { min: 0.5, max: 0.95 })).toBe('94.996\u00a0%')
    expect(formatEstimate(0.95, info, 2, { min: 0.95 })).toBe('95\u00a0%')
    expect(formatEstimate(null, info, 2, { min: 0.95 })).toBe('–')
  })
})

test('shares in a column have the same decimals, and never round to 0 % or 100 %', () => {
  expect([0, 0.00001, 0.0005, 0.04, 0.9599, 0.99996, 1].map((share) => formatColumnShare(share))).toEqual([
    '0.0\u00a0%',
    '<\u00a00.1\u00a0%',
    '0.1\u00a0%',
    '4.0\u00a0%',
    '96.0\u00a0%',
    '>\u00a099.9\u00a0%',
    '100.0\u00a0%',
  ])
})

test('a count in a tight space has three digits', () => {
  expect([7, 999, 12_431, 1_234_567].map(formatCompact)).toEqual(['7', '999', '12.4K', '1.23M'])
})

test('milliseconds keep about three digits and turn into seconds when long', () => {
  expect([0.421, 9.314, 41.86, 231.4, 12_412].map(formatMs)).toEqual([
    '0.42\u00a0ms',
    '9.31\u00a0ms',
    '41.9\u00a0ms',
    '231\u00a0ms',
    '12.4\u00a0s',
  ])
})

test('a count of one is singular', () => {
  expect([0, 1, 1204].map((count) => formatCounted(count, 'exchange'))).toEqual([
    '0 exchanges',
    '1 exchange',
    '1,204 exchanges',
  ])
})

test('counts are grouped', () => {
  expect(formatCount(1_234_567)).toBe('1,234,567')
})

describe('digits', () => {
  const spans = (unit: 'none' | 'percent' | 'ms', value: number, lower: number, upper: number) => {
    const digits = digitsFor(value, lower, upper, unit)
    return [formatValue(value, unit, digits), spanText({ lower, upper }, unit, digits)]
  }
  test('follow the width of the bound', () => {
    expect(digitsFor(0.9971, 0.9942, 1, 'none')).toBe(4)
    expect(digitsFor(12.4, 11.8, 13.9, 'ms')).toBe(1)
    expect(digitsFor(240, 120, 360, 'ms')).toBe(0)
    expect(digitsFor(0.8771, 0.8439, 0.9058, 'none')).toBe(3)
  })
  test('keep each number on its visible side of the limit', () => {
    const random = randomFrom(11)
    const read = (text: string) =>
      Number(
        text
          .replace(/\u00a0(%|ms)$/, '')
          .replaceAll(',', '')
          .replace('−', '-'),
      )
    const wrong: string[] = []
    for (let run = 0; run < 3000; run++) {
      const size = 10 ** (random() * 8 - 4)
      const near = (spread: number) => Number((limit + (random() - 0.5) * size * spread).toPrecision(12))
      const limit = Number(((random() - 0.2) * size).toPrecision(1 + Math.floor(random() * 4)))
      const [estimate, lower, upper] = [near(0.01), near(0.1 ** (6 * random())), near(0.1)]
      for (const unit of ['none', 'percent', 'ms'] as const) {
        const digits = digitsFor(estimate, lower, upper, unit, { min: limit })
        for (const value of [estimate, lower, upper]) {
          const [text, limitText] = [formatValue(value, unit, digits), limitValue(limit, unit)]
          if (Math.sign(read(text) - read(limitText)) === Math.sign(value - limit)) continue
          wrong.push(`${value} reads ${text} beside ${limitText}`)
        }
      }
    }
    expect(wrong).toEqual([])
  })
  test('exist without a bound or an estimate', () => {
    expect(digitsFor(null, null, null, 'none')).toBe(2)
    expect(digitsFor(0.5, null, null, 'none')).toBeGreaterThanOrEqual(2)
    expect(digitsFor(0, null, 0.003, 'none')).toBeGreaterThanOrEqual(3)
    expect(digitsFor(5, 5, 5, 'none')).toBeLessThanOrEqual(6)
    expect(digitsFor(0.3, 0.3, 0.1 + 0.2, 'none')).toBe(4)
  })
  test('end where a text has no room for them, or the unit is no more exact', () => {
    expect(spans('ms', 12, 12, 12.00122)).toEqual(['12.000\u00a0ms', '12.000 to 12.001\u00a0ms'])
    expect(spans('percent', 0.5, 0.5, 0.500002)).toEqual(['50.0000\u00a0%', '50.0000 to 50.0002\u00a0%'])
  })
  test('continue if the ends would otherwise read the same', () => {
    expect(spans('ms', 0.0002, 0.0001, 0.0003)).toEqual(['0.00020\u00a0ms', '0.00010 to 0.00030\u00a0ms'])
    expect(spans('percent', 2e-7, 1e-7, 4e-7)).toEqual(['0.000020\u00a0%', '0.000010 to 0.000040\u00a0%'])
    expect(spans('none', 0.9999999, 0.9999998, 0.99999999)).toEqual(['0.999999900', '0.999999800 to 0.999999990'])
    expect(spans('ms', 0.5, 0.0001, 0.0003)[1]).toBe('0.00010 to 0.00030\u00a0ms')
    expect(spans('none', 1e-4, 0.9999999e-4, 1.0000001e-4)[1]).toBe('0.000099999990 to 0.000100000010')
  })
  test('change to scientific notation if all values are small', () => {
    const digits = digitsFor(1.5e-12, 1.2e-12, 1.8e-12, 'none')
    const inUnits = { unit: 'none' as const, domain: [0, Number.POSITIVE_INFINITY] as [number, number] }
    expect(formatEstimate(1.5e-12, inUnits, digits)).toBe('1.50e-12')
    expect(formatValue(0, 'none', digits)).toBe('0')
    expect(formatValue(0.25, 'none', digits)).toBe('0.25')
    expect(spans('none', 1.00000015e-5, 1.0000001e-5, 1.0000002e-5)[1]).toBe('1.000000100e-5 to 1.000000200e-5')
  })
})

test('a missing value is a dash, never a zero, and only an exact zero has no decimals', () => {
  expect(formatValue(null, 'ms')).toBe('–')
  expect(formatValue(undefined, 'none')).toBe('–')
  expect(formatValue(Number.NaN, 'none', 3)).toBe('–')
  expect(formatValue(0, 'none', 3)).toBe('0')
  expect(formatValue(0.0001, 'none', 3)).toBe('0.000')
})

test('a value follows its unit', () => {
  expect(formatValue(30_000, 'span', 2)).toBe('30\u00a0s')
  expect(formatValue(0.95, 'share')).toBe('95\u00a0%')
  expect(formatValue(1546, 'count', 2)).toBe('1,546')
})

test('a negative value has a real minus sign, and zero has none', () => {
  expect(formatValue(-28.21, 'ms', 1)).toBe('−28.2\u00a0ms')
  expect(formatValue(-0.00001, 'none', 2)).toBe('0.00')
})

test('plain numbers keep four significant digits', () => {
  expect([0, 0.99, 0.0041234, 152.34567, 999.96].map(formatPlain)).toEqual(['0', '0.99', '0.004123', '152.3', '1,000'])
  expect([0.00001234, -0.00001234].map(formatPlain)).toEqual(['1.23e-5', '−1.23e-5'])
})

test('a small value has two digits, and no scientific notation', () => {
  expect([0, 0.0000188, 0.0001, 0.00061, 0.0123, 0.2549].map(formatTiny)).toEqual([
    '0',
    '<\u00a00.0001',
    '0.0001',
    '0.00061',
    '0.012',
    '0.25',
  ])
})

test('plain numbers keep every digit before the decimal point, so that 426,290 and 426,344 do not both read 426,300', () => {
  expect([12_345, 426_290.4, 426_344.4, -1_234_567].map(formatPlain)).toEqual([
    '12,345',
    '426,290',
    '426,344',
    '−1,234,567',
  ])
})

test('values in a column have the same decimals', () => {
  const values = [-0.76, -0.508, -1.352]
  expect(values.map(formatAlike(values))).toEqual(['−0.760', '−0.508', '−1.352'])
  expect([12_345.6, 3].map(formatAlike([12_345.6, 3]))).toEqual(['12,346', '3'])
  expect([0, 0].map(formatAlike([0, 0]))).toEqual(['0', '0'])
})

test('an estimated share is in per cent, with a share’s digits, and may be negative as a difference', () => {
  expect(formatValue(0.01, 'percent')).toBe('1\u00a0%')
  expect(formatValue(0.0712, 'percent', 3)).toBe('7.1\u00a0%')
  expect(formatValue(-0.00012, 'percent', 5)).toBe('−0.012\u00a0%')
  expect(formatValue(0.28, 'percent', 1)).toBe('28\u00a0%')
})
