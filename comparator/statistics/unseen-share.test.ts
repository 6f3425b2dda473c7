import { describe, expect, test } from 'vitest'
import { randomFrom } from '../metrics/rollups.fixture.ts'
import { concordance, correlationsWithUnseen, type PairMeans, pearson } from './correlation.ts'
import { distributionOfValues } from './distribution.fixture.ts'
import { distributionDistances } from './distribution-distances.ts'
import { jensenShannon } from './jensen-shannon.ts'
import { agreementOf, type Cell, confusionFrom, kappa, kappaWithin } from './kappa.ts'
import { populationStability, stabilityWithUnseen } from './population-stability.ts'
import { quantile } from './quantile.ts'
import {
  jensenShannonWithUnseen,
  ksWithUnseen,
  meanWithUnseen,
  quantileWithUnseen,
  relationWithUnseen,
  unseenShare,
} from './unseen-share.ts'

test('the share that may be unseen is near the rule of three, but wider as it holds at all times', () => {
  for (const n of [60, 240, 1000, 10_000]) {
    expect(unseenShare(n, 0.05)).toBeGreaterThan(3 / n)
    expect(unseenShare(n, 0.05)).toBeLessThan(9 / n)
  }
  expect(unseenShare(0, 0.05)).toBe(1)
})

test('an unseen event that has this share is excluded no more often than α, however often one looks', () => {
  const random = randomFrom(8)
  const shares = Array.from({ length: 2000 }, (_, n) => unseenShare(n, 0.05))
  const runs = 500
  let excluded = 0
  for (let run = 0; run < runs; run++) {
    const rate = 0.005
    let n = 0
    while (n < 1999 && random() >= rate) n++
    if (shares[n]! < rate) excluded++
  }
  expect(excluded / runs).toBeLessThanOrEqual(0.05)
  expect(shares[1999]).toBeLessThan(0.005)
})

/** The statistic of the seen mixed with a share of anything lies within the range computed from the seen alone. */
describe('whatever is in the unseen share,', () => {
  const random = randomFrom(31)
  const shareOf = () => 0.002 + 0.1 * random()
  const weights = (length: number) => {
    const raw = Array.from({ length }, () => (random() < 0.2 ? 0 : random() ** 3))
    const sum = raw.reduce((total, weight) => total + weight, 1e-9)
    return raw.map((weight) => weight / sum)
  }
  const mixed = (a: number[], b: number[], share: number) => a.map((weight, i) => (1 - share) * weight + share * b[i]!)
  const expectWithin = (value: number, { lower, upper }: { lower: number; upper: number }) => {
    expect(value).toBeGreaterThanOrEqual(lower - 1e-9)
    expect(value).toBeLessThanOrEqual(upper + 1e-9)
  }
  const times = Array.from({ length: 300 })

  test('psi and js lie within their ranges', () => {
    for (const _ of times) {
      const share = shareOf()
      const [a, b] = [weights(10), weights(10)]
      const [c, d] = [mixed(a, weights(10), share), mixed(b, weights(10), share)]
      expectWithin(populationStability(c, d), stabilityWithUnseen(a, b, share))
      expectWithin(jensenShannon(c, d)!, jensenShannonWithUnseen(jensenShannon(a, b)!, share))
      // the worst case: all of it in one bin of each side
      const point = (at: number) => a.map((_, i) => (i === at ? 1 : 0))
      const [e, f] = [mixed(a, point(0), share), mixed(b, point(1), share)]
      expectWithin(populationStability(e, f), stabilityWithUnseen(a, b, share))
      expectWithin(jensenShannon(e, f)!, jensenShannonWithUnseen(jensenShannon(a, b)!, share))
    }
  })

  test('psi reaches both ends of its range', () => {
    const [share, a, b] = [0.05, [0.9, 0.1], [0.1, 0.9]] as const
    const { lower, upper } = stabilityWithUnseen([...a], [...b], share)
    const psiWith = (ofA: number[], ofB: number[]) =>
      populationStability(mixed([...a], ofA, share), mixed([...b], ofB, share))
    expect(lower).toBeCloseTo(psiWith([0, 1], [1, 0]), 12)
    expect(upper).toBeCloseTo(psiWith([1, 0], [0, 1]), 12)
    // as much as fills the gaps
    expect(stabilityWithUnseen([0.52, 0.48], [0.5, 0.5], share).lower).toBe(0)
  })

  test('js reaches the upper end of its range, and all but the share itself of the lower', () => {
    const share = 0.05
    const jsOf = (a: number[], b: number[]) => jensenShannon(a, b)!
    const apart = jsOf(mixed([1, 0, 0], [0, 1, 0], share), mixed([1, 0, 0], [0, 0, 1], share))
    expect(jensenShannonWithUnseen(0, share).upper).toBeCloseTo(apart, 12)
    const alike = jsOf(mixed([1, 0], [0, 1], share), mixed([0, 1], [1, 0], share))
    expect(jensenShannonWithUnseen(1, share).lower).toBeCloseTo(alike - share, 12)
    expect(jensenShannonWithUnseen(0.3, 0)).toEqual({ lower: 0.3, upper: 0.3 })
    expect(jensenShannonWithUnseen(0.3, 1)).toEqual({ lower: 0, upper: 1 })
  })

  test('ks and quantiles lie within their ranges', () => {
    for (const _ of times) {
      const values = (n: number) => Array.from({ length: n }, () => random() ** 2)
      const [seen, unseen] = [190, 10]
      const [a, b] = [values(seen), values(seen)]
      const far = () => Array.from({ length: unseen }, () => 3 * random() - 1)
      const [c, d] = [
        [...a, ...far()],
        [...b, ...far()],
      ].map(distributionOfValues)
      const share = unseen / (seen + unseen)
      const ks = distributionDistances(distributionOfValues(a), distributionOfValues(b))!.ks
      expectWithin(distributionDistances(c!, d!)!.ks, ksWithUnseen(ks, share))
      const q = 0.1 + 0.8 * random()
      const within = quantileWithUnseen(distributionOfValues(a), q, share)
      // tolerance of one step, as quantiles are interpolated between values
      expect(quantile(c!, q - 1 / 200)!).toBeLessThanOrEqual(within.upper)
      expect(quantile(c!, q + 1 / 200)!).toBeGreaterThanOrEqual(within.lower)
    }
  })

  test('a mean and ks reach both ends of their ranges, and a quantile may be any value near an end', () => {
    const [share, seen] = [0.05, Array.from({ length: 190 }, (_, i) => i / 190)]
    const unseen = (value: number) => Array.from({ length: 10 }, () => value)
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
    const within = meanWithUnseen(mean(seen), share, { lower: -3, upper: 7 })
    expect(within.lower).toBeCloseTo(mean([...seen, ...unseen(-3)]), 12)
    expect(within.upper).toBeCloseTo(mean([...seen, ...unseen(7)]), 12)

    const of = distributionOfValues
    const ksOf = (a: number[], b: number[]) => distributionDistances(of(a), of(b))!.ks
    const [far, near] = [2, 0.5].map((shift) => seen.map((value) => value + shift)) as [number[], number[]]
    const together = ksOf([...seen, ...unseen(4)], [...far, ...unseen(-1)])
    expect(ksWithUnseen(ksOf(seen, far), share).lower).toBeCloseTo(together, 12)
    const apart = ksOf([...seen, ...unseen(-1)], [...near, ...unseen(4)])
    expect(ksWithUnseen(ksOf(seen, near), share).upper).toBeCloseTo(apart, 12)

    expect(quantileWithUnseen(of(seen), 0.04, share).lower).toBe(Number.NEGATIVE_INFINITY)
    expect(quantileWithUnseen(of(seen), 0.06, share).lower).toBeCloseTo(0.01, 1)
    expect(quantileWithUnseen(of(seen), 0.94, share).upper).toBeCloseTo(0.99, 1)
    expect(quantileWithUnseen(of(seen), 0.96, share).upper).toBe(Number.POSITIVE_INFINITY)
  })

  test('the ratio and the difference of two quantiles reach both ends of their ranges', () => {
    const [share, q] = [0.05, 0.5]
    const seen = Array.from({ length: 1900 }, (_, i) => 1 + i / 1900)
    const doubled = seen.map((value) => 2 * value)
    const unseen = (value: number) => Array.from({ length: 100 }, () => value)
    const at = (values: number[]) => quantile(distributionOfValues(values), q)!
    const [least, greatest] = [
      [at([...seen, ...unseen(0)]), at([...doubled, ...unseen(9)])],
      [at([...seen, ...unseen(9)]), at([...doubled, ...unseen(0)])],
    ] as const
    const sides = [distributionOfValues(seen), distributionOfValues(doubled)] as const
    const ratio = relationWithUnseen(sides, q, 'ratio', share)
    expect(ratio.lower).toBeCloseTo(least[0] / least[1], 3)
    expect(ratio.upper).toBeCloseTo(greatest[0] / greatest[1], 3)
    const difference = relationWithUnseen(sides, q, 'difference', share)
    expect(difference.lower).toBeCloseTo(least[0] - least[1], 2)
    expect(difference.upper).toBeCloseTo(greatest[0] - greatest[1], 2)
    // values are not negative, also those that were not seen
    expect(relationWithUnseen(sides, 0.01, 'difference', share).lower).toBe(
      -quantileWithUnseen(sides[1], 0.01, share).upper,
    )
  })

  test('kappa lies within its range, for disagreements of any kind', () => {
    const labels = ['a', 'b', 'c', 'new']
    for (const _ of times) {
      const cells = labels
        .slice(0, 3)
        .flatMap((row) =>
          labels.slice(0, 3).map((column): Cell => [row, column, row === column ? 100 * random() : 5 * random()]),
        )
      const seen = confusionFrom(cells)
      const others = labels.flatMap((row) =>
        labels.filter((column) => column !== row).map((column): Cell => [row, column, random() ** 8]),
      )
      const total = others.reduce((sum, [, , count]) => sum + count, 0)
      const share = shareOf()
      const unseen = others.map(
        ([row, column, count]): Cell => [row, column, (count / total) * (share / (1 - share)) * seen.total],
      )
      const agreement = agreementOf(seen)
      const found = kappaWithin(seen, { lower: (1 - share) * agreement, upper: agreement })
      expectWithin(kappa(confusionFrom([...cells, ...unseen]))!, found)
      expect(found.upper).toBeCloseTo(kappa(seen)!, 12)
    }
  })

  test('correlations lie within their ranges, for pairs within the span of those seen', () => {
    for (const _ of times) {
      const noise = random() < 0.5 ? 0 : 0.2
      const pairs = Array.from({ length: 200 }, () => {
        const p = random() * 4 - 1
        return [p, p + noise * (random() - 0.5)] as [number, number]
      })
      const all = pairs.flat()
      const [least, greatest] = [Math.min(...all), Math.max(...all)]
      const corner = () =>
        random() < 0.7 ? (random() < 0.5 ? least : greatest) : least + random() * (greatest - least)
      const unseen = Array.from({ length: Math.ceil(20 * random()) }, () => [corner(), corner()] as [number, number])
      const share = unseen.length / (pairs.length + unseen.length)
      const within = correlationsWithUnseen(meansOf(pairs), share, (greatest - least) ** 2)!
      expectWithin(pearson(meansOf([...pairs, ...unseen]))!, within.pearson)
      expectWithin(concordance(meansOf([...pairs, ...unseen]))!, within.ccc)
    }
  })

  test.each([1, 0.5, -0.5, -2])(
    'correlations reach as far as was seen, or little further than the worst pair takes them (slope %d)',
    (slope) => {
      const on = (noise: number) =>
        Array.from({ length: 1999 }, (_, i): [number, number] => {
          const p = (4 * i) / 1998 - 1
          return [p, slope * p + (i % 2 ? noise : -noise)]
        })
      const sign = Math.sign(slope)
      const seen = meansOf(on(0.3))
      const r = pearson(seen)!
      const none = correlationsWithUnseen(seen, 0, 16)!
      expect(none.ccc).toEqual({ lower: expect.closeTo(concordance(seen)!, 12), upper: 1 })
      expect(none.pearson[sign > 0 ? 'lower' : 'upper']).toBeCloseTo(r, 12)
      expect(none.pearson[sign > 0 ? 'upper' : 'lower']).toBe(sign)

      const pairs = on(0)
      const [least, greatest] = [Math.min(...pairs.flat()), Math.max(...pairs.flat())]
      const worst: [number, number] = sign > 0 ? [greatest, least] : [greatest, greatest]
      const all = meansOf([...pairs, worst])
      const found = correlationsWithUnseen(meansOf(pairs), 1 / 2000, (greatest - least) ** 2)!
      expectWithin(pearson(all)!, found.pearson)
      expectWithin(concordance(all)!, found.ccc)
      const end = sign > 0 ? found.pearson.lower : found.pearson.upper
      expect((1 - end ** 2) / (1 - pearson(all)! ** 2)).toBeLessThan(10)
      expect((1 - found.ccc.lower) / (1 - concordance(all)!)).toBeLessThan(1.01)
    },
  )

  test('correlations are unknown where a side is constant', () => {
    const rangeOf = (pairAt: (i: number) => [number, number]) =>
      correlationsWithUnseen(meansOf([1, 2, 3].map(pairAt)), 0.01, 1)
    expect(rangeOf((i) => [7, i])).toBeNull()
    expect(rangeOf((i) => [i, 7])).toBeNull()
    expect(rangeOf((i) => [i, i])).not.toBeNull()
  })

  function meansOf(pairs: [number, number][]): PairMeans {
    const mean = (of: (p: number, c: number) => number) =>
      pairs.reduce((sum, [p, c]) => sum + of(p, c), 0) / pairs.length
    return {
      p: mean((p) => p),
      c: mean((_, c) => c),
      pp: mean((p) => p * p),
      cc: mean((_, c) => c * c),
      dd: mean((p, c) => (c - p) ** 2),
    }
  }
})
