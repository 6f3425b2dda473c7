import { expect, test } from 'vitest'
import { randomFrom } from '../metrics/rollups.fixture.ts'
import {
  spellCounted,
  spellDuration,
  spellExact,
  spellExactPercent,
  spellLimit,
  spellNumber,
  spellPercent,
  spellTime,
  unitOf,
} from './spell-number.ts'

test.each([
  [0, {}, '0'],
  [-0, { max: 0.01 }, '0'],
  [0.98999, { min: 0.99 }, '0.98999'],
  [0.989999999, { min: 0.99 }, '0.989999999'],
  [0.99, { min: 0.99 }, '0.99'],
  [0.98999, { min: 0.95 }, '0.99'],
  [250.01, { max: 250 }, '250.01'],
  [249.96, { min: 200, max: 250 }, '249.96'],
  [-5.00001, { max: -5 }, '-5.00001'],
  [1_000_000.4, { max: 1_000_000 }, '1,000,000.4'],
  [1 / 3, {}, '0.3333'],
  [0.008123456, { max: 0.02 }, '0.00812'],
  [-0.0001234, { max: 0.02 }, '-0.00012'],
  [0.0000012, { max: 0.02 }, '0.000001'],
  [0.33123, { min: -1000, max: 1 }, '0.331'],
  [0.0001234, { max: 0 }, '0.0001234'],
  [1234.5599, { max: 1234.56 }, '1,234.5599'],
  [12.3456, { max: 12.346 }, '12.3456'],
  [9.9996e-7, { max: 1e-6 }, '9.9996e-7'],
  [1.005, { max: 1.01 }, '1.005'],
  [999_999_999_999_999, {}, '999,999,999,999,999'],
  [1e15, {}, '1.00e+15'],
  [1234.5678, { max: 0.001 }, '1,235'],
])('%d beside a limit of %o is spelled %s', (value, limit, text) => {
  expect(spellNumber(value, limit)).toBe(text)
})

test.each([
  [0.989999, { min: 0.99 }, '98.9999 %'],
  [0.0100004, { max: 0.01 }, '1.00004 %'],
  // rounding errors of a multiplication do not move a number across a limit
  [0.01 * (1 + Number.EPSILON), { max: 0.01 }, '1 %'],
  [0.29, { max: 0.29 }, '29 %'],
])('a share of %d beside a limit of %o is spelled %s', (share, limit, text) => {
  expect(spellPercent(share, limit)).toBe(text)
})

test.each([
  [0, '0'],
  [0.000_001, '0.000001'],
  [9e-7, '9e-7'],
  [-1e15, '-1e+15'],
  [999_999_999_999_999, '999,999,999,999,999'],
])('a configured %d is spelled with all its digits: %s', (value, text) => {
  expect(spellExact(value)).toBe(text)
})

test('limits and counts are spelled with their unit or noun', () => {
  expect([0.29, 0.07, 0.0005].map(spellExactPercent)).toEqual(['29 %', '7 %', '0.05 %'])
  expect([0, 1, 1234.6].map((count) => spellCounted(count, 'bucket'))).toEqual([
    '0 buckets',
    '1 bucket',
    '1,235 buckets',
  ])
  const unit = unitOf('latency.delta.p95')
  expect(spellLimit({ max: 250 }, unit)).toBe('≤ 250 ms')
  expect(spellLimit({ min: -5, max: 5 }, unit)).toBe('≥ -5 ms and ≤ 5 ms')
  expect(spellLimit({ min: 1.5 }, unitOf('latency.ratio.p95'))).toBe('≥ 1.5')
})

test('a number of any size is shown on its own side of the limit beside it', () => {
  const random = randomFrom(7)
  const read = (text: string) => Number(text.replaceAll(',', ''))
  const wrong: string[] = []
  for (let run = 0; run < 20_000; run++) {
    const size = 10 ** (random() * 24 - 12)
    const limit = Number(((random() - 0.5) * size).toPrecision(1 + Math.floor(random() * 6)))
    const value = Number((limit + (random() - 0.5) * size * 10 ** (-8 * random())).toPrecision(14))
    const [text, limitText] = [spellNumber(value, { max: limit }), spellExact(limit)]
    if (Math.sign(read(text) - read(limitText)) !== Math.sign(value - limit)) {
      wrong.push(`${value} reads ${text} beside ${limitText}`)
    }
  }
  expect(wrong).toEqual([])
})

test('a time on the full minute is shown without seconds', () => {
  expect([0, 40_000].map((ms) => spellTime(Date.UTC(2026, 9, 30, 7) + ms))).toEqual([
    '2026-10-30 07:00 UTC',
    '2026-10-30 07:00:40 UTC',
  ])
})

test.each([
  [119_900, '119.9 s'],
  [120_000, '2 min'],
  [7_199_000, '119.9 min'],
  [7_200_000, '2 h'],
  [172_799_000, '47.9 h'],
  [172_800_000, '2 d'],
])('%d ms are spelled %s', (ms, text) => {
  expect(spellDuration(ms)).toBe(text)
})
