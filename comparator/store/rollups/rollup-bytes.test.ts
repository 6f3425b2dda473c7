import { expect, test } from 'vitest'
import { binCountsOf, pairsOf } from '../../statistics/bin-counts.ts'
import type { Sum } from '../../statistics/sums.ts'
import { binsDecoder, encodeBins, encodeSums, sumsDecoder } from './rollup-bytes.ts'

const sum = (n: number, value: number): Sum => ({
  n,
  sum: n * value,
  sumSq: n * value * value,
  min: -value,
  max: value,
})

const buckets = [
  new Map<string, Sum>(),
  new Map([['absError', sum(1, 0.1)]]),
  new Map([
    ['latency.delta', sum(2 ** 40 + 1, -1e300)],
    ['absError', sum(3, 5e-324)],
    ['field:/a "quoted"\nline/é', sum(7, 1)],
  ]),
  new Map([
    ['absError', sum(4, 2)],
    ['latency.delta', sum(5, 3)],
    ['field:/a "quoted"\nline/é', sum(6, 4)],
  ]),
  // taken back where what it was added to has expired
  new Map([['mae.drift', sum(-1, 2)]]),
]

test('sums are read back as they were written, from buckets with different measures', () => {
  const decode = sumsDecoder()
  for (const sums of [...buckets, ...buckets.toReversed()]) expect(decode(encodeSums(sums))).toEqual(sums)
})

test('only the wanted sums are read', () => {
  const decode = sumsDecoder(['latency.delta', 'bias'])
  expect(buckets.map((sums) => [...decode(encodeSums(sums)).keys()])).toEqual([
    [],
    [],
    ['latency.delta'],
    ['latency.delta'],
    [],
  ])
  expect(decode(encodeSums(buckets[3]!)).get('latency.delta')).toEqual(sum(5, 3))
})

test('histograms are read back as they were written, all or only the wanted ones', () => {
  const bins = new Map(
    ['a', 'b', 'c', 'd'].map((name, i) => [
      name,
      binCountsOf([
        [-131_000 + i, 2 ** 33 + i],
        [i, 1],
        [131_000, 300 * i + 1],
      ]),
    ]),
  )
  const bytes = encodeBins(bins)
  const pairs = (decoded: typeof bins) => [...decoded].map(([name, counts]) => [name, pairsOf(counts)])
  expect(pairs(binsDecoder()(bytes))).toEqual(pairs(bins))
  const wanted = new Map([...bins].filter(([name]) => name === 'b' || name === 'd'))
  expect(pairs(binsDecoder(['d', 'b'])(bytes))).toEqual(pairs(wanted))
  expect(encodeBins(new Map())).toHaveLength(0)
})

test('a name that the database cannot store is replaced by one that it can', () => {
  const names = [...sumsDecoder()(encodeSums(new Map([['field:/\u0000/\ud800', sum(1, 1)]]))).keys()]
  expect(names).toEqual(['field:/\uFFFD/\uFFFD'])
})
