import { describe, expect, test } from 'vitest'
import { estimatorOf } from '../estimates/estimator.ts'
import { exchangesOf } from '../evidence/exchanges.ts'
import { policyOf, randomFrom, regression } from '../rollups.fixture.ts'
import { atBest, betterOf, isWorse, worstFirst } from './judge-slices.ts'

const bound = (lower: number | null, upper: number | null, n = 100) => ({ estimate: 0.5, lower, upper, n })

test.each([
  ['agreement', 'higher'],
  ['accuracy.drift', 'higher'],
  ['cosine.p05', 'higher'],
  ['cosineDistance.p95', 'lower'],
  ['latency.delta.p95', 'lower'],
  ['errorRate.delta', 'lower'],
  ['outputDrift.psi', 'lower'],
  ['mae.drift', 'lower'],
  ['bias', 'zero'],
  ['outputs.price.bias', 'zero'],
  ['outputs.label.agreement', 'higher'],
])('%s is better %s', (metric, better) => expect(betterOf(metric)).toBe(better))

describe('a slice is worse', () => {
  test('where its whole bound lies on the bad side of the overall estimate', () => {
    expect(isWorse(bound(0.5, 0.6), 0.7, 'higher')).toBe(true)
    expect(isWorse(bound(0.5, 0.71), 0.7, 'higher')).toBe(false)
    expect(isWorse(bound(0.8, 0.9), 0.7, 'higher')).toBe(false)
    expect(isWorse(bound(0.8, 0.9), 0.7, 'lower')).toBe(true)
    expect(isWorse(bound(0.8, 0.9), -0.7, 'zero')).toBe(true)
    expect(isWorse(bound(-0.9, -0.8), 0.7, 'zero')).toBe(true)
    expect(isWorse(bound(-0.9, 0.8), 0.1, 'zero')).toBe(false)
    expect(isWorse(bound(0.8, 0.9), -0.95, 'zero')).toBe(false)
  })

  test('never with too little evidence, and never without a bound', () => {
    expect(isWorse(bound(0.5, 0.6, 29), 0.7, 'higher')).toBe(false)
    expect(isWorse(bound(null, null), 0.7, 'higher')).toBe(false)
    expect(isWorse(bound(0.5, null), 0.7, 'higher')).toBe(false)
    expect(isWorse(bound(0.5, 0.6), null, 'higher')).toBe(false)
  })

  test('and is listed before one with a wild estimate from little evidence', () => {
    const shown = { slice: 'a', worse: true, estimate: 0.9, lower: 0.89, upper: 0.91, n: 9000 }
    const wild = { slice: 'b', worse: false, estimate: 0.1, lower: 0, upper: 1, n: 30 }
    const good = { slice: 'c', worse: false, estimate: 0.99, lower: 0.98, upper: 0.995, n: 9000 }
    const unknown = { slice: 'd', worse: false, estimate: 0.2, lower: null, upper: null, n: 2 }
    const order = [unknown, good, wild, shown].sort(worstFirst('higher')).map(({ slice }) => slice)
    expect(order).toEqual(['a', 'c', 'b', 'd'])
    expect(atBest(unknown, 'higher')).toBeNull()
  })
})

const hours = 240
const slicesCount = 12

/** Ten days of hourly traffic divided among `slicesCount` slices, the first of which is worse by `harm`. */
function daysOf(random: () => number, harm: number) {
  const buckets = Array.from({ length: hours }, (_, at) => {
    const hour = 0.04 * (random() - 0.5)
    return Array.from({ length: slicesCount }, (_, slice) => {
      const n = 5 + Math.floor(random() * 40)
      const rate = 0.95 + hour - (slice === 0 ? harm : 0)
      let sum = 0
      for (let i = 0; i < n; i++) if (random() < rate) sum++
      return { at, n, sum }
    })
  })
  const rangeOf = (slices: number[]) => ({
    from: 0,
    to: hours,
    bucketMs: 1,
    buckets: buckets.map((bucket, at) => {
      const sum = { n: 0, sum: 0, sumSq: 0, min: 0, max: 1 }
      for (const slice of slices) {
        sum.n += bucket[slice]!.n
        sum.sum += bucket[slice]!.sum
        sum.sumSq += bucket[slice]!.sum
      }
      return { at, sums: new Map([['latency.slower', sum]]) }
    }),
    groups: [],
  })
  const policy = { ...policyOf(regression), window: { duration: hours, samplesMin: 1, coverageMin: 0 } }
  const boundOf = (slices: number[], confidence: number) => {
    const range = rangeOf(slices)
    return estimatorOf({ ...policy, confidence }, range, exchangesOf(range, [])).bound('latency.slower')
  }
  const overall = boundOf(
    Array.from({ length: slicesCount }, (_, i) => i),
    0.95,
  ).estimate
  return Array.from({ length: slicesCount }, (_, slice) =>
    isWorse(boundOf([slice], 1 - 0.05 / slicesCount), overall, 'higher'),
  )
}

describe('in simulations of many slices at once', () => {
  test('where all are alike, one of them is called worse in fewer than one of twenty cases', () => {
    const random = randomFrom(11)
    const falsely = Array.from({ length: 200 }, () => daysOf(random, 0)).filter((worse) => worse.includes(true))
    expect(falsely.length / 200).toBeLessThanOrEqual(0.05)
  })

  test('one that is worse by five percentage points is found, and no other', () => {
    const random = randomFrom(12)
    const cases = Array.from({ length: 40 }, () => daysOf(random, 0.05))
    expect(cases.filter((worse) => worse[0]).length).toBeGreaterThanOrEqual(38)
    expect(cases.filter((worse) => worse.slice(1).includes(true))).toEqual([])
  })
})
