import { describe, expect, test } from 'vitest'
import type { OutputMapping } from '../../../vocabulary/mapping/output-mapping.ts'
import { answeredWith, compareBodies, compareOutcomes, differencesIn, problemOf } from '../compare.fixture.ts'
import { spellProblem } from './mapping-problem.ts'

const mapping: OutputMapping = { kind: 'classification', scores: '/rows/*/p', labels: ['a', 'b'], topK: 1 }
const rows = (...scores: unknown[]) => ({ rows: scores.map((p) => ({ p })) })

describe('a response that answers several rows', () => {
  test('is compared row by row, and disagrees by the share of rows with different labels, then by scores', () => {
    const comparison = compareBodies(
      mapping,
      rows([1, 0], [0, 1], [0, 1], [1, 0]),
      rows([1, 0], [0, 1], [1, 0], [1, 0]),
    )
    expect(comparison).toMatchObject({
      kind: 'compared',
      primary: { kind: 'brief', label: '4 rows: a × 2, b × 2', rows: 4 },
      candidate: { kind: 'brief', label: '4 rows: a × 3, b × 1' },
      disagreement: (1 + 0.25 / 1.25) / 4,
    })
    expect(differencesIn(comparison)).toMatchObject({
      kind: 'rows',
      pairs: { 2: { primary: { label: 'b', scores: [0, 1] }, candidate: { label: 'a', scores: [1, 0] } } },
    })
  })

  test('may have just one row', () => {
    expect(compareBodies(mapping, rows([1, 0]), rows([1, 0]))).toMatchObject({ primary: { label: '1 row: a × 1' } })
  })

  test('may list labels apart from scores, at other places on each side, and under other names', () => {
    const elsewhere: OutputMapping = {
      ...mapping,
      label: '/names/*',
      labelMap: { A: 'a', B: 'b' },
      candidate: { scores: '/*/p', label: '/*/top' },
    }
    const primary = { ...rows([0.9, 0.1], [0.2, 0.8]), names: ['a', 'b'] }
    const candidate = [
      { top: 'A', p: { A: 0.9, B: 0.1 } },
      { top: 'A', p: { A: 0.7, B: 0.3 } },
    ]
    const pairs = [
      { primary: { label: 'a' }, candidate: { label: 'a' } },
      { primary: { label: 'b' }, candidate: { label: 'a' } },
    ]
    expect(differencesIn(compareBodies(elsewhere, primary, candidate))).toMatchObject({ pairs })
  })

  test('may be the rows of a tensor', () => {
    const oip: OutputMapping = { ...mapping, candidate: { protocol: 'oip', scores: '/probabilities/*' } }
    const tensor = { outputs: [{ name: 'probabilities', datatype: 'FP32', shape: [2, 2], data: [1, 0, 1, 0] }] }
    expect(compareOutcomes(oip, answeredWith(rows([1, 0], [0, 1])), answeredWith(tensor))).toMatchObject({
      candidate: { label: '2 rows: a × 2' },
      disagreement: (1 + 0.5 / 1.5) / 2,
    })
  })

  test.each([
    ['fewer rows', rows([1, 0]), 'expected 2 rows, as the primary has, found 1'],
    ['no rows', rows(), '/rows: expected one or more rows, found an empty array'],
    ['no list', { rows: { p: [1, 0] } }, '/rows: expected an array of rows, found an object of p'],
    ['nothing', {}, '/rows: expected an array of rows, found nothing: the body is an empty object'],
    ['a row without scores', rows([1, 0], null), '/rows/1/p: expected scores, found null'],
    [
      'a row of another length',
      rows([1, 0], [1]),
      '/rows/1/p: expected 2 scores, as many as labels, found an array of 1',
    ],
    ['too many rows', rows(...Array(10_001).fill([1, 0])), '/rows: expected at most 10000 rows'],
  ])('of the candidate with %s is its failure, naming the place', (_what, candidate, said) => {
    const comparison = compareBodies(mapping, rows([1, 0], [0, 1]), candidate)
    expect(comparison).toMatchObject({ kind: 'failed', reason: 'unmapped', primary: { label: '2 rows: a × 1, b × 1' } })
    expect(spellProblem(problemOf(comparison)!)).toContain(said)
  })

  test('of the candidate with one row of other labels is its failure', () => {
    const keyed: OutputMapping = { kind: 'classification', scores: '/*', topK: 1 }
    const candidate = [
      { a: 0.9, b: 0.1 },
      { a: 0.1, c: 0.9 },
    ]
    expect(compareBodies(keyed, [candidate[0], candidate[0]], candidate)).toMatchObject({
      kind: 'failed',
      reason: 'unmapped',
      problem: { leg: 'candidate', code: 'unknownLabel' },
    })
  })

  test('in the form of TorchServe is bounded by the total number of listed scores', () => {
    const labels = Array.from({ length: 1000 }, (_, i) => String(i))
    const many: OutputMapping = { kind: 'classification', scores: '/*', protocol: 'torchserve', labels, topK: 1 }
    const few = Array(1001).fill({ 1: 1 })
    expect(compareBodies(many, few, few)).toMatchObject({ kind: 'compared', disagreement: 0 })
    const all = Object.fromEntries(labels.map((label) => [label, 1]))
    const comparison = compareBodies(many, few, Array(1001).fill(all))
    expect(spellProblem(problemOf(comparison)!)).toContain('expected at most 1000000 scores, found more')
  })

  test('must have as many labels as scores', () => {
    const both: OutputMapping = { ...mapping, label: '/names/*' }
    const comparison = compareBodies(both, { ...rows([1, 0], [0, 1]), names: ['a'] }, {})
    expect(spellProblem(problemOf(comparison)!)).toBe("the primary's /names: expected 2 rows, found an array of 1")
  })
})
