import { expect, test } from 'vitest'
import { type BinCounts, binCountsOf, noCounts } from '../../statistics/bin-counts.ts'
import { decodeHistogram, encodeHistogram } from './histogram-bytes.ts'

const greatest = Number.MAX_SAFE_INTEGER
const histograms: [name: string, counts: BinCounts][] = [
  ['without a bin', noCounts],
  ['of the outermost bins', binCountsOf([-131_071, 0, 131_071].map((bin) => [bin, 1]))],
  [
    'of counts of every length',
    binCountsOf([1, 127, 128, 16_383, 16_384, 2 ** 32, greatest].map((n, i) => [i - 3, n])),
  ],
]

test.each(histograms)('a histogram %s is read back as it was written', (_, counts) => {
  expect(decodeHistogram(encodeHistogram(counts))).toEqual(counts)
})

test('neighbouring bins with small counts take two bytes each', () => {
  const counts = binCountsOf(Array.from({ length: 100 }, (_, i) => [2000 + i, 1 + i]))
  expect(encodeHistogram(counts).length).toBeLessThan(210)
})

test.each([
  ['0000081f 000000012a05f200', [[2079, 5_000_000_000]]],
  [
    'fffffff9 0000000000000002 00000000 0000000000000001',
    [
      [-7, 2],
      [0, 1],
    ],
  ],
] as const)('what was kept in twelve bytes a bin is still read: %s', (hex, pairs) => {
  expect(decodeHistogram(Buffer.from(hex.replaceAll(' ', ''), 'hex'))).toEqual(binCountsOf(pairs))
})
