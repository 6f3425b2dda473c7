import { describe, expect, test } from 'vitest'
import type { EmbeddingMapping } from '../../vocabulary/mapping/mapping-kinds.ts'
import { compareBodies, differencesIn, problemOf } from './compare.fixture.ts'
import { compareVectors } from './compare-vectors.ts'
import { spellProblem } from './read/mapping-problem.ts'

const mapping: EmbeddingMapping = { kind: 'embedding', vector: '/v' }
const compare = (p: unknown, c: unknown) => compareBodies(mapping, { v: p }, { v: c })

describe('two embeddings', () => {
  test('have the cosine of the angle between them', () => {
    // (1·3 + 2·2 + 2·6) / (3 · 7)
    expect(differencesIn(compare([1, 2, 2], [3, 2, 6]))).toMatchObject({
      cosine: 19 / 21,
      primaryNorm: 3,
      candidateNorm: 7,
    })
    expect(compare([1, 0], [0, 5])).toMatchObject({ disagreement: 1 })
    expect(compare([1, 2], [-1, -2])).toMatchObject({ disagreement: 2 })
  })

  test('that are equal, or differ in length only, have a distance of zero', () => {
    for (const vector of [[0.1, 0.7, -0.3], [1e-200, 2e-200], [1e70, -3e69], [5]]) {
      expect(compareVectors(vector, vector).cosine).toBe(1)
      expect(
        compareVectors(
          vector,
          vector.map((element) => element * 2),
        ).cosine,
      ).toBeCloseTo(1, 14)
    }
  })

  test('have the same distance from either side', () => {
    const [a, b] = [
      [0.3, -2, 7, 1e-9],
      [4, 0.5, -1, 3],
    ]
    expect(compareVectors(a, b).cosine).toBe(compareVectors(b, a).cosine)
  })

  test('of different dimensions, or without a direction, fail with a reason', () => {
    expect(compare([1, 2], [1, 2, 3])).toMatchObject({ kind: 'failed', reason: 'dimensions' })
    expect(compare([1, 2], [0, 0])).toMatchObject({ kind: 'failed', reason: 'zeroVector' })
    expect(compare([0, -0], [1, 2])).toMatchObject({
      kind: 'skipped',
      reason: 'zeroVector',
      problem: { leg: 'primary' },
    })
  })

  test('of anything but numbers are unmapped', () => {
    for (const hostile of [[], [1, null], [1, 'x'], 'x', null, 3, { 0: 1 }, [[[]]]]) {
      expect(compare([1, 2], hostile)).toMatchObject({ kind: 'failed', reason: 'unmapped' })
    }
    const huge = compareBodies(mapping, { v: [1, 2] }, `{"v":[${'1,'.repeat(1_000_000)}1]}`)
    expect(problemOf(huge)).toMatchObject({ code: 'tooLarge' })
    expect(problemOf(compareBodies(mapping, { v: [1] }, '{"v":[1e999]}'))).toMatchObject({ code: 'type' })
  })

  describe('of several rows', () => {
    const rows: EmbeddingMapping = { kind: 'embedding', vector: '/data/*/v', candidate: { vector: '/*' } }
    const compareRows = (p: unknown[], c: unknown) => compareBodies(rows, { data: p.map((v) => ({ v })) }, c)

    test('differ by the means over them', () => {
      const comparison = compareRows(
        [
          [1, 2, 2],
          [2, 0],
          [0, 3],
        ],
        [
          [3, 2, 6],
          [5, 0],
          [4, 0],
        ],
      )
      expect(comparison).toMatchObject({
        primary: { label: '3 vectors of 3' },
        disagreement: 1 - (19 / 21 + 1 + 0) / 3,
      })
      expect(differencesIn(comparison)).toMatchObject({ primaryNorm: 8 / 3, candidateNorm: 16 / 3 })
    })

    test('that are equal have a distance of zero, however many', () => {
      const equal = Array.from({ length: 49 }, () => [0.1, 0.7, -0.3])
      expect(compareRows(equal, equal)).toMatchObject({ disagreement: 0 })
    })

    test.each([
      ['fewer', [[1, 2]], 'unmapped', "the candidate's body: expected 2 rows, as the primary has, found 1"],
      ['one of another length', [[1, 2], [1]], 'dimensions', '/1: expected 2 dimensions, as the primary has, found 1'],
      [
        'one without a direction',
        [
          [1, 2],
          [0, 0],
        ],
        'zeroVector',
        '/1: expected a vector with a direction',
      ],
      ['one that is none', [[1, 2], 'x'], 'unmapped', '/1: expected a number or numbers'],
      ['none', [], 'unmapped', 'expected one or more rows'],
    ])('are the candidate’s failure with %s, naming the place', (_what, candidate, reason, said) => {
      const comparison = compareRows(
        [
          [1, 2],
          [3, 4],
        ],
        candidate,
      )
      expect(comparison).toMatchObject({ kind: 'failed', reason })
      expect(spellProblem(problemOf(comparison)!)).toContain(said)
    })

    test('are bounded in total', () => {
      const many = Array.from({ length: 101 }, () => Array(10_000).fill(1))
      expect(problemOf(compareRows([[1]], many))).toMatchObject({ code: 'tooLarge' })
    })
  })

  test('are kept with the observation by their size only', () => {
    expect(compare([1, 2], [3, 4])).toMatchObject({ candidate: { kind: 'brief', label: 'a vector of 2' } })
  })
})
