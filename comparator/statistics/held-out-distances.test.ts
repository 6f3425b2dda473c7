import { describe, expect, test } from 'vitest'
import { normalFrom, randomFrom } from '../metrics/rollups.fixture.ts'
import { distributionOfValues } from './distribution.fixture.ts'
import { distributionDistances } from './distribution-distances.ts'
import { heldOutDistances } from './held-out-distances.ts'

type Pair = [a: number, b: number]
const samplesOf = (pairs: Pair[]) =>
  [distributionOfValues(pairs.map(([a]) => a)), distributionOfValues(pairs.map(([, b]) => b))] as const
const heldOut = (part: Pair[], rest: Pair[]) =>
  heldOutDistances([...samplesOf([...part, ...rest])], [...samplesOf(rest)])

describe('the distances of a held-out part', () => {
  test('are its own distances where the rest is like it', () => {
    const part: Pair[] = [
      [0, 2],
      [1, 3],
      [5, 5],
    ]
    const { ks, wasserstein } = distributionDistances(...samplesOf(part))!
    const found = heldOut(part, [...part, ...part])!
    expect(found.ks).toEqual({ n: 3, sum: expect.closeTo(3 * ks, 12) })
    expect(found.wasserstein).toEqual({ n: 3, sum: expect.closeTo(3 * wasserstein, 12) })
  })

  test('are negative where the part differs the other way', () => {
    const rest: Pair[] = [
      [0, 1],
      [0, 1],
    ]
    expect(heldOut([[1, 0]], rest)).toEqual({ ks: { n: 1, sum: -1 }, wasserstein: { n: 1, sum: -1 } })
    expect(heldOut([[4, 4]], rest)).toEqual({ ks: { n: 1, sum: 0 }, wasserstein: { n: 1, sum: 0 } })
  })

  test('are null where the part or the rest is empty, if only on one side', () => {
    expect(heldOut([], [[0, 1]])).toBeNull()
    expect(heldOut([[0, 1]], [])).toBeNull()
    const [none, one] = [distributionOfValues([]), distributionOfValues([1])]
    const whole = () =>
      samplesOf([
        [0, 1],
        [2, 3],
      ])
    expect(heldOutDistances([...whole()], [none, one])).toBeNull()
    expect(heldOutDistances([...whole()], [one, none])).toBeNull()
    expect(heldOut([[1, 0]], [[0, 1]])).not.toBeNull()
  })

  test('are zero on average where the sides differ by chance alone, unlike the distance of the samples', () => {
    const random = randomFrom(5)
    const draw = (count: number): Pair[] =>
      Array.from({ length: count }, () => {
        const common = normalFrom(random)
        return [common + 0.1 * normalFrom(random), common + 0.1 * normalFrom(random)]
      })
    let [ks, wasserstein, seen] = [0, 0, 0]
    const runs = 400
    for (let run = 0; run < runs; run++) {
      const [part, rest] = [draw(20), draw(180)]
      const found = heldOut(part, rest)!
      ks += found.ks.sum / 20 / runs
      wasserstein += found.wasserstein.sum / 20 / runs
      seen += distributionDistances(...samplesOf([...part, ...rest]))!.wasserstein / runs
    }
    expect(seen).toBeGreaterThan(0.03)
    expect(Math.abs(wasserstein)).toBeLessThan(0.005)
    expect(Math.abs(ks)).toBeLessThan(0.015)
  })
})
