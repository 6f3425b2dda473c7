import { describe, expect, test } from 'vitest'
import type { OutputMapping } from '../../../vocabulary/mapping/output-mapping.ts'
import { briefAnswer, rowLabelsOf } from '../../compare/answer.ts'
import { keepScores } from '../../compare/keep-scores.ts'
import { pairOfAnswers, pairOfBodies, pairOfRowLabels } from './view-pair.ts'

const body = (document: unknown) => ({
  contentType: 'application/json',
  body: JSON.stringify(document),
  bodyEncoding: 'utf8' as const,
})
const pairOf = (mapping: unknown, primary: unknown, candidate: unknown) =>
  pairOfBodies(mapping as OutputMapping, { primary: body(primary), candidate: body(candidate) })

describe('two answers are read from their bodies as the comparison read them', () => {
  test('boxes with their matches: unmatched ones first, then by least overlap', () => {
    const box = (label: string, corners: number[], score: number) => ({ label, box: corners, score })
    const pair = pairOf(
      { kind: 'detection', boxes: '/b', iouMin: 0.5 },
      { b: [box('cat', [0, 0, 10, 10], 0.9), box('dog', [20, 0, 30, 10], 0.8), box('cat', [50, 0, 60, 10], 0.7)] },
      { b: [box('cat', [0, 0, 10, 8], 0.6), box('dog', [20, 0, 30, 10], 0.5), box('cow', [50, 0, 60, 10], 0.4)] },
    )
    expect(pair).toMatchObject({ kind: 'boxes', frame: 'pixel', matched: 2, onlyPrimary: 1, onlyCandidate: 1 })
    const shown = pair.kind === 'boxes' ? pair.shown.map(({ label, iou }) => [label, iou]) : []
    expect(shown).toEqual([
      ['cat', null],
      ['cow', null],
      ['cat', 0.8],
      ['dog', 1],
    ])
  })
  test('a vector with the elements that differ most, in their order', () => {
    const primary = Array.from({ length: 500 }, (_, i) => i + 1)
    const candidate = primary.map((value, i) => (i % 5 === 0 ? value + i : value))
    const pair = pairOf({ kind: 'embedding', vector: '/v' }, { v: primary }, { v: candidate })
    if (pair.kind !== 'numbers') throw new Error(pair.kind)
    expect(pair).toMatchObject({ of: 'vector', elements: 500, maximum: 495 })
    expect(pair.shown.map(({ index }) => index)).toEqual(Array.from({ length: 64 }, (_, i) => 180 + 5 * i))
  })
  test('vectors of several rows by the row that differs most', () => {
    const pair = pairOf(
      { kind: 'embedding', vector: '/*' },
      [
        [1, 0],
        [1, 0],
        [2, 3],
      ],
      [
        [1, 0],
        [0, 2],
        [4, 6],
      ],
    )
    expect(pair).toMatchObject({
      row: { index: 1, of: 3 },
      cosine: 0,
      elements: 2,
      shown: [{ candidate: 0 }, { candidate: 2 }],
    })
  })
  test('rows with the score of the label that each side gives, even if another score is higher', () => {
    const mapping = { kind: 'classification', label: '/*/l', scores: '/*/s' }
    const pair = pairOf(mapping, [{ l: 'b', s: { a: 0.9, b: 0.1 } }], [{ l: 'a', s: { a: 0.8, b: 0.2 } }])
    expect(pair).toMatchObject({
      shown: [{ primary: { label: 'b', score: 0.1 }, candidate: { label: 'a', score: 0.8 } }],
    })
  })
  test('the labels that each side gives, of a model that gives several or none', () => {
    const mapping = { kind: 'classification', scores: '/t', scoreMin: 0.5, candidate: { scoreMin: 0.4 } }
    const tags = { t: { beach: 0.6, sea: 0.45, night: 0.1 } }
    expect(pairOf(mapping, tags, tags)).toMatchObject({
      scoreMin: { primary: 0.5, candidate: 0.4 },
      given: {
        primary: { labels: ['beach'] },
        candidate: { labels: ['beach', 'sea'] },
        missing: { count: 0, labels: [] },
        added: { count: 1, labels: ['sea'] },
      },
    })
    expect(pairOf({ kind: 'classification', scores: '/t' }, tags, tags)).not.toHaveProperty('given')
  })
  test('very many given labels by those in which the sides differ, found before the lists are cut', () => {
    const mapping = { kind: 'classification', scores: '/t', scoreMin: 0.5 }
    const tags = Object.fromEntries(Array.from({ length: 102 }, (_, i) => [`L${i + 1}`, 0.9]))
    expect(pairOf(mapping, { t: { ...tags, L102: 0.1 } }, { t: { ...tags, L1: 0.1 } })).toMatchObject({
      given: { primary: { count: 101 }, missing: { count: 1, labels: ['L1'] }, added: { count: 1, labels: ['L102'] } },
    })
  })
  test('no given labels where a side gave as many as are kept, since there may be more', () => {
    const mapping = { kind: 'classification', scores: '/t', scoreMin: 0.5 } as OutputMapping
    const labels = Array.from({ length: 60 }, (_, i) => `L${i}`)
    const answer = (given: number) =>
      ({ kind: 'class', label: 'L0', labels, scores: labels.map((_, i) => (i < given ? 0.9 : 0.1)) }) as const
    const pairOfKept = (given: number) => {
      const { primary, candidate } = keepScores({ primary: answer(given), candidate: answer(3) })
      return pairOfAnswers(mapping, primary!, candidate!)
    }
    expect(pairOfKept(19)).toMatchObject({ given: { missing: { count: 16 } } })
    expect(pairOfKept(20)).not.toHaveProperty('given')
  })
  test('rows of such a model as differing where the given labels do, even if the top label is the same', () => {
    const mapping = { kind: 'classification', scores: '/*/s', scoreMin: 0.5 }
    const row = (sea: number) => ({ s: { beach: 0.9, sea } })
    expect(pairOf(mapping, [row(0.8), row(0.8)], [row(0.7), row(0.4)])).toMatchObject({
      rows: 2,
      differing: 1,
      shown: [
        { row: 1, given: { missing: { labels: ['sea'] }, added: { labels: [] } } },
        { row: 0, given: { missing: { count: 0 } } },
      ],
    })
  })
  test('a text with its beginning and its length', () => {
    const pair = pairOf({ kind: 'text', text: '/t' }, { t: 'a' }, { t: 'b'.repeat(50_000) })
    if (pair.kind !== 'text') throw new Error(pair.kind)
    expect([pair.candidate.text.length, pair.candidate.length]).toEqual([20_000, 50_000])
  })
  test('texts and boxes of several rows by the row that differs most', () => {
    const texts = pairOf({ kind: 'text', text: '/*' }, ['abcd', 'abcd', 'x'], ['abcx', 'abxy', 'x'])
    expect(texts).toMatchObject({ row: { index: 1, of: 3 }, candidate: { text: 'abxy' }, editSimilarity: 0.5 })
    const box = (x: number) => [{ label: 'a', box: [x, 0, x + 10, 10] }]
    const boxes = pairOf({ kind: 'detection', boxes: '/*', iouMin: 0.5 }, [box(0), box(0)], [box(0), box(40)])
    expect(boxes).toMatchObject({ row: { index: 1, of: 2 }, matched: 0, onlyPrimary: 1, onlyCandidate: 1, quality: 0 })
  })
  test('documents with their fields', () => {
    const pair = pairOf(
      { kind: 'json', document: '', ignore: [], tolerance: { absolute: 0, relative: 0 } },
      { a: 1 },
      { a: 2 },
    )
    expect(pair).toMatchObject({ kind: 'fields', differing: { count: 1 } })
  })
  test('binary tensors, even if their bytes look like text', () => {
    const head = JSON.stringify({
      outputs: [{ name: 'v', datatype: 'INT8', shape: [2], parameters: { binary_data_size: 2 } }],
    })
    const mapping = { kind: 'regression', protocol: 'oip', value: '/v' } as OutputMapping
    const tensor = (bytes: string) => ({ contentType: null, body: head + bytes, bodyEncoding: 'utf8' as const })
    const pair = pairOfBodies(mapping, { primary: tensor('AB'), candidate: tensor('AD') })
    expect(pair).toMatchObject({ kind: 'numbers', shown: [{ index: 0 }, { index: 1, primary: 66, candidate: 68 }] })
  })
})

test('an answer that was redacted, or not kept, says so', () => {
  const mapping = { kind: 'text', text: '/t' } as OutputMapping
  expect(pairOf(mapping, { t: 'a' }, { u: 'b' })).toMatchObject({ kind: 'unread', leg: 'candidate' })
  expect(pairOfBodies(mapping, { primary: null, candidate: body({ t: 'a' }) })).toEqual({
    kind: 'unread',
    leg: 'primary',
    why: "the primary's body was not kept",
  })
})

test('values and classes need no body; of many labels, those with the greatest score on either side are shown', () => {
  const labels = Array.from({ length: 100 }, (_, i) => `l${i}`)
  const answer = (top: number) => ({
    kind: 'class' as const,
    label: `l${top}`,
    labels,
    scores: labels.map((_, i) => (i === top ? 0.9 : i / 1e4)),
  })
  const mapping = { kind: 'classification', scores: '/s', topK: 3 } as OutputMapping
  const pair = pairOfAnswers(mapping, answer(3), answer(7))
  if (pair?.kind !== 'scores') throw new Error(pair?.kind)
  expect(pair).toMatchObject({ primary: 'l3', candidate: 'l7', labels: 100 })
  expect(pair.shown.slice(0, 3).map(({ label }) => label)).toEqual(['l3', 'l7', 'l99'])
  expect(pair.shown).toHaveLength(20)
  const { primary: p, candidate: c } = keepScores({ primary: answer(3), candidate: answer(7) })
  expect(pairOfAnswers(mapping, p!, c!)).toEqual(pair)
  const brief = { kind: 'brief' as const, label: 'a text of 4 characters', scores: null, labels: null }
  expect(pairOfAnswers({ kind: 'text', text: '/t' } as OutputMapping, brief, brief)).toBeNull()
})

test('rows whose bodies were not kept show their labels', () => {
  const mapping = { kind: 'classification', scores: '/*', topK: 3 } as OutputMapping
  const answer = (...labels: string[]) => ({ ...briefAnswer('rows'), rowLabels: rowLabelsOf(labels) })
  expect(pairOfRowLabels(mapping, answer('a', 'b', 'a'), answer('a', 'c', 'a'))).toEqual({
    kind: 'rows',
    rows: 3,
    differing: 1,
    shown: [
      { row: 1, primary: { label: 'b', score: null }, candidate: { label: 'c', score: null } },
      { row: 0, primary: { label: 'a', score: null }, candidate: { label: 'a', score: null } },
      { row: 2, primary: { label: 'a', score: null }, candidate: { label: 'a', score: null } },
    ],
  })
  const beforeLabels = briefAnswer('2 rows: 2 a')
  expect(pairOfRowLabels(mapping, beforeLabels, beforeLabels)).toBeNull()
})
