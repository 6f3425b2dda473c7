import { describe, expect, test } from 'vitest'
import { cpuMsOf } from '../../test/support/cpu-time.ts'
import type { TextMapping } from '../../vocabulary/mapping/mapping-kinds.ts'
import { compareBodies, differencesIn, problemOf } from './compare.fixture.ts'
import { compareTexts } from './compare-texts.ts'
import { editSimilarity } from './edit-similarity.ts'
import { spellProblem } from './read/mapping-problem.ts'

const mapping: TextMapping = { kind: 'text', text: '/answer' }

/** The edit distance by the textbook algorithm, row by row of the matrix. */
function levenshtein(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}

function randomText(random: () => number, length: number): string {
  return Array.from({ length }, () => 'abcd '[Math.floor(random() * 5)]).join('')
}
function randomFrom(seed: number) {
  let state = seed
  return () => {
    state = (state * 16807) % 2147483647
    return state / 2147483647
  }
}

describe('the similarity of two texts', () => {
  test('is one less the share of edits in the longer one', () => {
    expect(editSimilarity('kitten', 'sitting')).toBeCloseTo(1 - 3 / 7, 15)
    expect(editSimilarity('', 'abc')).toBe(0)
    expect(editSimilarity('', '')).toBe(1)
    expect(editSimilarity('a😀b', 'a😁b')).toBeCloseTo(2 / 3, 15)
  })

  test('equals that of the textbook algorithm, over one or several blocks of bits, from either side', () => {
    const random = randomFrom(3)
    for (let round = 0; round < 300; round++) {
      const [a, b] = [randomText(random, Math.floor(random() * 150)), randomText(random, Math.floor(random() * 150))]
      const longer = Math.max(a.length, b.length)
      const expected = longer === 0 ? 1 : 1 - levenshtein(a, b) / longer
      expect(editSimilarity(a, b)).toBeCloseTo(expected, 12)
      expect(editSimilarity(b, a)).toBeCloseTo(expected, 12)
    }
  })

  test('of long texts is never too high, and exact where they differ little', () => {
    const random = randomFrom(5)
    const [a, b] = [randomText(random, 6000), randomText(random, 5000)]
    const exact = 1 - levenshtein(a, b) / 6000
    expect(editSimilarity(a, b)).toBeLessThanOrEqual(exact + 1e-12)
    expect(editSimilarity(a, b)).toBeGreaterThan(exact - 0.05)
    const long = randomText(random, 100_000)
    expect(editSimilarity(long, `${long.slice(0, 50_000)}x${long.slice(50_000)}`)).toBeCloseTo(1 - 1 / 100_001, 12)
    expect(editSimilarity(long, long)).toBe(1)
  })

  test('takes time in proportion to the length', () => {
    const random = randomFrom(8)
    const [a, b] = [randomText(random, 262_144), randomText(random, 262_144)]
    // the whole matrix would take half a minute even by bit vectors
    expect(cpuMsOf(() => editSimilarity(a, b))).toBeLessThan(5000)
  })
})

describe('two texts', () => {
  test('agree exactly, except for case, space and forms of letters, or in their words', () => {
    expect(compareTexts('ﬁne  Day\n', 'fine day')).toMatchObject({ exact: 0, normalised: 1, tokenF1: 1 })
    // words the, cat, sat; common: the, cat (the second "the" has no partner)
    const found = compareTexts('The cat sat.', 'the cat, the')
    expect(found).toMatchObject({ normalised: 0, tokenF1: expect.closeTo(4 / 6, 15) })
    expect(compareTexts('…', '!')).toMatchObject({ tokenF1: 1, editSimilarity: 0 })
  })

  test('that are equal agree fully', () => {
    for (const text of ['', ' ', 'x', 'Größe', '\ud800', 'a\0b']) {
      expect(compareTexts(text, text)).toMatchObject({ exact: 1, normalised: 1, editSimilarity: 1, tokenF1: 1 })
    }
  })

  test('that arrive in pieces are joined, however they were cut', () => {
    const streamed: TextMapping = { kind: 'text', protocol: 'stream', text: '/choices/0/delta/content' }
    const piece = (content: unknown) => JSON.stringify({ id: Math.random(), choices: [{ delta: { content } }] })
    const events = (...pieces: unknown[]) => pieces.map((content) => `data: ${piece(content)}\n\n`).join('')
    const primary = `: hello\r\n\r\n${events(null, 'A stitch', ' in ', 'time')}data: {"usage":{}}\n\ndata: [DONE]\n\n`
    expect(differencesIn(compareBodies(streamed, primary, events('A stitch in time')))).toMatchObject({
      exact: 1,
    })
    expect(differencesIn(compareBodies(streamed, primary, events('A stitch in', ' line')))).toMatchObject({
      editSimilarity: 1 - 2 / 16,
    })
    const lines = ['A stitch in', ' time'].map((response) => `${JSON.stringify({ response })}\n`).join('')
    const found = compareBodies({ ...streamed, candidate: { text: '/response' } }, primary, `${lines}\n`)
    expect(differencesIn(found)).toMatchObject({ exact: 1 })
    expect(differencesIn(compareBodies(streamed, primary, primary.replaceAll('[DONE]', '[DONE] ')))).toMatchObject({
      exact: 1,
    })
    expect(differencesIn(compareBodies(streamed, primary, `data\n\n${primary}`))).toMatchObject({ exact: 1 })
    const separated = '\u2028A stitch in time'
    expect(differencesIn(compareBodies(streamed, events(separated), events(separated)))).toMatchObject({
      exact: 1,
    })
    const manyLines = 'event: piece\ndata: {"choices":[{"delta":\ndata: {"content":"A stitch in time"}}]}'
    expect(differencesIn(compareBodies(streamed, primary, manyLines))).toMatchObject({ exact: 1 })
  })

  test('that arrive in pieces are read from one choice, or from a whole answer', () => {
    const choice = (index: number, content: string) =>
      `data: ${JSON.stringify({ choices: [{ index, delta: { content } }] })}\n\n`
    const both = choice(0, 'A stitch') + choice(1, 'Nine ') + choice(0, ' in time') + choice(1, 'lives')
    const streamed: TextMapping = { kind: 'text', protocol: 'stream', text: '/choices/0/delta/content' }
    const one = choice(0, 'A stitch in time')
    expect(differencesIn(compareBodies(streamed, both, one))).toMatchObject({ exact: 1 })
    const answer = { choices: [{ index: 0, message: { content: 'A stitch in time' } }] }
    const either = { ...streamed, whole: '/choices/0/message/content' }
    for (const body of [JSON.stringify(answer), JSON.stringify(answer, null, 2), one]) {
      expect(differencesIn(compareBodies(either, one, body))).toMatchObject({ exact: 1 })
    }
    expect(compareBodies(streamed, one, answer)).toMatchObject({ reason: 'unmapped' })
  })

  test('that arrive in pieces are read from one choice only if the pointer names one', () => {
    const pieces = (...texts: string[]) =>
      texts.map((text, index) => JSON.stringify({ delta: { message: { index, text } } })).join('\n')
    const streamed: TextMapping = { kind: 'text', protocol: 'stream', text: '/delta/message/text' }
    expect(differencesIn(compareBodies(streamed, pieces('A', 'B'), pieces('AB')))).toMatchObject({ exact: 1 })
  })

  test.each([
    ['event: error\ndata: overloaded\n\n', 0],
    ['data: {"a":"b"}\n\nevent: error\n\n', 1],
    ['data: {"a":"b"}\n\ndata: {"error":{"message":"overloaded"}}\n\n', 1],
    ['{"a":"b"}\n{"error":"overloaded"}\n', 1],
    ['{"a":"b","error":"overloaded"}', 0],
  ])('that broke off with an error are unmapped: %j', (broken, pieces) => {
    const found = compareBodies(
      { kind: 'text', protocol: 'stream', text: '/a' },
      'data: {"a":"b","error":null}\n\n',
      broken,
    )
    expect(spellProblem(problemOf(found)!)).toBe(
      `the candidate's body: expected a stream without an error, found an error after ${pieces} pieces`,
    )
  })

  test.each([
    ['', "the candidate's body: expected a stream of JSON, found an empty body"],
    [
      '{"a":1}\n{"a',
      "the candidate's body: expected server-sent events of JSON, or JSON on each line, found one that is none after 1 that are",
    ],
    ['data: {"b":1}\n\n', "the candidate's /a: expected a text, found none in 1 pieces"],
    ['data: {"a":["x"]}\n\n', "the candidate's /a: expected a text, found an array of 1"],
  ])('that cannot be read from the stream %j are unmapped with a reason', (body, expected) => {
    const streamed: TextMapping = { kind: 'text', protocol: 'stream', text: '/a' }
    const found = compareBodies(streamed, '{"a":"x"}', body)
    expect(spellProblem(problemOf(found)!)).toBe(expected)
  })

  test('are found by pointer or are the whole body, and are not kept', () => {
    const found = compareBodies(mapping, { answer: 'secret' }, { answer: 'secrets' })
    expect(found).toMatchObject({ disagreement: expect.closeTo(1 / 7, 12), differences: { kind: 'text' } })
    expect(JSON.stringify(found)).not.toContain('secret')
    const plain = compareBodies({ kind: 'text', protocol: 'plain' }, 'not JSON', 'not json')
    expect(differencesIn(plain)).toMatchObject({ normalised: 1, exact: 0 })
  })

  test('of several rows differ by the means over them', () => {
    const rows: TextMapping = { kind: 'text', text: '/answers/*/text' }
    const answers = (...texts: unknown[]) => ({ answers: texts.map((text) => ({ text })) })
    const found = compareBodies(rows, answers('one', 'Two', 'abcd', ''), answers('one', 'two', 'abxy', 'x'))
    expect(found).toMatchObject({
      primary: { label: '4 texts of 10 characters' },
      disagreement: expect.closeTo(1 - (1 + 2 / 3 + 1 / 2 + 0) / 4, 12),
    })
    expect(differencesIn(found)).toMatchObject({
      exact: 1 / 4,
      normalised: 2 / 4,
      tokenF1: 2 / 4,
      primaryLength: 10 / 4,
      candidateLength: 11 / 4,
    })
    const said = (candidate: unknown) => problemOf(compareBodies(rows, answers('a', 'b'), candidate))
    expect(said(answers('a'))).toMatchObject({ path: '/answers', expected: '2 rows, as the primary has', found: '1' })
    expect(said(answers('a', 1))).toMatchObject({ path: '/answers/1/text', expected: 'a text' })
    expect(said(answers('a'.repeat(200_000), 'b'.repeat(200_000)))).toMatchObject({
      code: 'tooLarge',
      expected: 'texts of at most 262144 characters together',
      found: '400000',
    })
    const tensor = { outputs: [{ name: 'answers', datatype: 'BYTES', shape: [2, 1], data: ['a', 'c'] }] }
    const served: TextMapping = { kind: 'text', text: '/*', candidate: { protocol: 'oip', text: '/answers/*' } }
    expect(differencesIn(compareBodies(served, ['a', 'b'], tensor))).toMatchObject({ exact: 0.5 })
  })

  test('that are too long, or of another type, are unmapped', () => {
    const long = compareBodies(mapping, { answer: 'a' }, { answer: 'a'.repeat(262_145) })
    expect(problemOf(long)).toMatchObject({ code: 'tooLarge', expected: 'a text of at most 262144 characters' })
    for (const answer of [1, null, ['a'], { a: 1 }]) {
      expect(compareBodies(mapping, { answer: 'a' }, { answer })).toMatchObject({ reason: 'unmapped' })
    }
  })
})
