import { describe, expect, test } from 'vitest'
import type { AnswerView } from '../../../../vocabulary/api/answer.ts'
import type { OutcomeView } from '../../../../vocabulary/api/observation-view.ts'
import type { OutputKind } from '../../../../vocabulary/mapping/output-kind.ts'
import { apartTitle, apartWords, isRight, missingTitle } from './apart.ts'
import { prettyBody } from './pretty-body.ts'
import { truthText } from './truth-text.ts'
import { vectorText } from './vector-text.ts'

const outcome = (answer: AnswerView | null): OutcomeView => ({
  kind: 'answered',
  status: 200,
  totalMs: 1,
  queuedMs: null,
  version: '1',
  answer,
})
const words = (kind: OutputKind, disagreement: number, primary?: AnswerView, candidate?: AnswerView) =>
  apartWords(kind, {
    comparison: 'compared',
    reason: null,
    disagreement,
    primary: outcome(primary ?? null),
    candidate: outcome(candidate ?? null),
  })

describe('the distance between two answers is shown', () => {
  test('of a value as a signed number, candidate minus primary', () => {
    expect(words('regression', 19.5, { value: 152.3 }, { value: 171.8 })).toBe('+19.5')
    expect(words('regression', 19.5, { value: 171.8 }, { value: 152.3 })).toBe('−19.5')
    expect(words('regression', 0, { value: 1 }, { value: 1 })).toBe('0')
    expect(words('regression', 1.5, { value: [1, 2] }, { value: [2, 4] })).toBe('mean absolute 1.5')
  })
  test('of every other kind in that kind’s own measure', () => {
    expect(words('classification', 1.2)).toBe('different label')
    expect(words('classification', 0.2)).toBe('same label, scores 0.25 apart')
    expect(words('classification', 0.0804837)).toBe('same label, scores 0.0875 apart')
    const rows = { label: '20 rows', scores: null, rows: 20 }
    expect(words('classification', 0.01, rows)).toBe('same labels, scores 0.25 apart')
    expect(words('classification', 3 / 20, rows)).toBe('different label in 3 of 20 rows')
    expect(words('classification', 0.06, rows)).toBe('different label in 1 of 20 rows')
    expect(words('embedding', 0.58)).toBe('cosine 0.42')
    expect([0, 7.27e-9, 0.00004, 0.0004, 2].map((disagreement) => words('embedding', disagreement))).toEqual([
      'cosine 1',
      'cosine 1\u00a0−\u00a07.27e-9',
      'cosine 1\u00a0−\u00a04.00e-5',
      'cosine 0.9996',
      'cosine −1',
    ])
    expect(words('detection', 0.25)).toBe('match quality 0.75')
    expect(words('text', 0.39)).toBe('61\u00a0% alike')
    expect(words('json', 0.125)).toBe('12.5\u00a0% of fields differ')
  })
  test('of a model that may give several labels as the labels that differ, else by their scores', () => {
    const some = (...labels: string[]) => ({ count: labels.length, labels })
    const given = (disagreement: number, missing: string[], added: string[] = []) =>
      apartWords('classification', {
        comparison: 'compared',
        reason: null,
        disagreement,
        given: {
          primary: some('a', ...missing),
          candidate: some('a', ...added),
          missing: some(...missing),
          added: some(...added),
        },
        primary: outcome({ label: 'a', scores: { a: 0.9 } }),
        candidate: outcome({ label: 'a', scores: { a: 0.8 } }),
      })
    expect(given(1 / 3 + 0.1 / 1.1, ['beach'])).toBe('−beach')
    expect(given(1 + 0.1 / 1.1, ['beach'], ['night'])).toBe('−beach +night')
    expect(given(0.2, [])).toBe('same labels, scores 0.25 apart')
    expect(given(0, [])).toBe('same')
  })
  test('of several rows of such a model as no more than is known', () => {
    const rows = outcome({ label: '3 rows', scores: null, rows: 3 })
    const apart = { comparison: 'compared', reason: null, disagreement: 0.4 } as const
    expect(apartWords('classification', { ...apart, given: null, primary: rows, candidate: rows })).toBe(
      'disagreement 0.4',
    )
  })
  test('in a title with its noun and its unit', () => {
    const apart = { comparison: 'compared', reason: null, disagreement: 7.88 } as const
    const sides = { primary: outcome({ value: 100 }), candidate: outcome({ value: 107.88 }) }
    expect(apartTitle('regression', { ...apart, ...sides }, '€')).toBe('Difference, candidate − primary: +7.88 €')
    const failed = { ...apart, ...sides, comparison: 'failed', reason: 'timedOut', disagreement: null } as const
    expect(apartTitle('regression', failed, '€')).toBe('The candidate failed: timed out')
    expect(apartTitle('detection', { ...apart, ...sides, disagreement: 0.25 }, null)).toBe(
      'Boxes of both sides: match quality 0.75',
    )
  })
  test('as the reason if nothing could be compared', () => {
    const failed = { primary: outcome(null), candidate: outcome(null), disagreement: null }
    expect(apartWords('json', { ...failed, comparison: 'failed', reason: 'timedOut' })).toBe('timed out')
    expect([
      missingTitle({ comparison: 'failed', reason: 'unmapped' }),
      missingTitle({ comparison: 'failed', reason: null }),
      missingTitle({ comparison: 'skipped', reason: 'primaryStatus' }),
    ]).toEqual([
      'The candidate failed: answer does not fit the mapping',
      'The candidate failed: no usable answer',
      'Not compared: answered with an error',
    ])
  })
})

test('an answer is right or wrong only if the truth is a label', () => {
  const answer = { label: '7', scores: null }
  expect(isRight({ label: '7' }, answer)).toBe(true)
  expect(isRight({ label: '1' }, answer)).toBe(false)
  expect(isRight({ value: 1 }, { value: 1 })).toBeNull()
  expect(isRight({ label: ['7', null] }, { label: '2 rows: 2 7', scores: null, rows: 2 })).toBeNull()
  expect(isRight(null, answer)).toBeNull()
})

describe('a body is shown', () => {
  test('indented, with long strings cut to their length', () => {
    expect(prettyBody('{"a":[1,2,3]}').text).toBe('{\n  "a": [1, 2, 3]\n}')
    expect(prettyBody(JSON.stringify({ image: 'x'.repeat(1000) })).text).toContain('(1,000 characters)')
    expect(prettyBody('plain')).toEqual({ text: 'plain', more: 0 })
  })
  test('up to a limit, however large or deep it is', () => {
    expect(prettyBody('x'.repeat(50_000))).toEqual({ text: 'x'.repeat(20_000), more: 30_000 })
    expect(prettyBody('['.repeat(100_000))).toMatchObject({ more: 80_000 })
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    expect(prettyBody(deep).text.length).toBe(20_000)
  })
})

test('a long vector shows its first elements and its length', () => {
  expect(vectorText([1, 2, 3, 4, 5])).toBe('1, 2, 3, 4 … (5 values)')
  expect(vectorText([1, 2, 3, 4, 5], 768)).toBe('1, 2, 3, 4 … (768 values)')
})

test('a truth of several rows shows the first of them, with unknown ones as dashes', () => {
  expect(truthText({ label: 'cat' })).toBe('cat')
  expect(truthText({ label: ['cat', null, 'dog'] })).toBe('cat, –, dog')
  expect(truthText({ label: Array(32).fill('cat') })).toBe('cat, cat, cat, cat … (32 rows)')
  expect(truthText({ label: Array(10).fill('cat'), elements: 32 })).toBe('cat, cat, cat, cat … (32 rows)')
  expect(truthText({ value: [1.5, null] })).toBe('1.5, –')
})
