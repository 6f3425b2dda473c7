import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { OutputMapping } from '../../vocabulary/mapping/output-mapping.ts'
import type { Observation } from '../../vocabulary/observation.ts'
import type { Outcome } from '../../vocabulary/outcome.ts'
import { compareObservation } from './compare-observation.ts'

const value: OutputMapping = { kind: 'regression', value: '/value' }
const scores: OutputMapping = { kind: 'classification', scores: '/scores', labels: ['a', 'b', 'c'], topK: 2 }

function answered(body: unknown, more: Partial<Extract<Outcome, { kind: 'answered' }>> = {}): Outcome {
  return {
    kind: 'answered',
    status: 200,
    totalMs: 1,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...more,
  }
}

function compare(mapping: OutputMapping, primary: Outcome, candidate: Outcome) {
  const observation: Observation = {
    id: '01930000-0000-7000-8000-000000000000',
    validation: 'v',
    at: '2026-11-21T08:00:00.000Z',
    request: { method: 'POST', path: '/' },
    primary,
    candidate,
  }
  return compareObservation(mapping, observation)
}
const good = answered({ value: 1 })

describe('two answers', () => {
  test('are compared where the mapping finds both', () => {
    expect(compare(value, good, answered({ value: 1.5 }))).toEqual({
      kind: 'compared',
      primary: { kind: 'value', value: 1 },
      candidate: { kind: 'value', value: 1.5 },
      disagreement: 0.5,
      differences: null,
    })
  })

  test('may be at different places in the two bodies', () => {
    const mapping: OutputMapping = { kind: 'regression', value: '/value', candidate: { value: '/a~1b/~0c/1' } }
    expect(compare(mapping, good, answered({ 'a/b': { '~c': [7, 1] } }))).toMatchObject({ disagreement: 0 })
  })

  test('of equal shape are compared by element, however nested', () => {
    const found = compare(value, answered({ value: [[1, 2], [3]] }), answered({ value: [1, 2, 6] }))
    expect(found).toMatchObject({ kind: 'compared', disagreement: 1 })
    const [alone, listed] = [good, answered({ value: [1.5] })]
    expect(compare(value, alone, listed)).toMatchObject({ disagreement: 0.5 })
    expect(compare(value, listed, alone)).toMatchObject({ disagreement: 0.5 })
  })

  test('with classes take the first of the highest scores, or a label of any plain type', () => {
    expect(compare(scores, answered({ scores: [0.4, 0.4, 0.2] }), answered({ scores: [0, 1, 0] }))).toMatchObject({
      primary: { label: 'a' },
      candidate: { label: 'b' },
    })
    const label: OutputMapping = { kind: 'classification', label: '/label', topK: 3 }
    expect(compare(label, answered({ label: true }), answered({ label: 'true' }))).toMatchObject({ disagreement: 0 })
    expect(compare(label, answered({ label: 3 }), answered({ label: 4 }))).toMatchObject({ disagreement: 1 })
  })

  test('with scores keyed by label are brought into one order', () => {
    const keyed: OutputMapping = { kind: 'classification', scores: '', topK: 3 }
    const found = compare(keyed, answered('{"b":0.9,"a":0.1}'), answered('{"a":0.1,"b":0.9}'))
    expect(found).toMatchObject({ kind: 'compared', disagreement: 0, primary: { label: 'b', labels: ['a', 'b'] } })
    expect(compare(scores, answered({ scores: { a: 1, b: 0, c: 0 } }), answered({ scores: [1, 0, 0] }))).toMatchObject({
      disagreement: 0,
    })
    const different = compare(keyed, answered('{"b":0.9,"a":0.1}'), answered('{"b":0.9,"x":0.1}'))
    expect(different).toMatchObject({ kind: 'failed', reason: 'unmapped' })
  })

  test('that are no UTF-8 differ where their bytes do', () => {
    const plain: OutputMapping = { kind: 'text', protocol: 'plain' }
    const label: OutputMapping = { kind: 'classification', label: '/label', topK: 1 }
    const tensor: OutputMapping = { kind: 'text', protocol: 'oip', text: '/t' }
    const strings = (text: string) => {
      const output = { name: 't', datatype: 'BYTES', shape: [1], parameters: { binary_data_size: 8 } }
      return `${JSON.stringify({ outputs: [output] })}\x04\0\0\0${text}`
    }
    const latin1 = (text: string) =>
      answered(Buffer.from(text, 'latin1').toString('base64'), { bodyEncoding: 'base64' })
    for (const [mapping, bodyOf] of [
      [plain, (text: string) => text],
      [label, (label: string) => JSON.stringify({ label })],
      [tensor, strings],
    ] as const) {
      const [rose, rosa] = [latin1(bodyOf('rosé')), latin1(bodyOf('rosè'))]
      expect(compare(mapping, rose, rose)).toMatchObject({ disagreement: 0 })
      expect(compare(mapping, rose, rosa)).toMatchObject({ disagreement: expect.closeTo(mapping === label ? 1 : 0.25) })
    }
  })

  test('rank a different label above any distance of scores', () => {
    const same = compare(scores, answered({ scores: [900, 0, 0] }), answered({ scores: [1, 0, 0] }))
    const other = compare(scores, answered({ scores: [0.51, 0.49, 0] }), answered({ scores: [0.49, 0.51, 0] }))
    expect(same.kind === 'compared' && other.kind === 'compared' && other.disagreement > same.disagreement).toBe(true)
  })
})

describe('a compressed body whose header was kept', () => {
  const base64 = (bytes: Buffer, coding: string) =>
    answered(bytes.toString('base64'), { bodyEncoding: 'base64', headers: { 'Content-Encoding': coding } })
  const json = Buffer.from('{"value":1}')

  test.each([
    ['gzip', gzipSync(json)],
    ['zstd', zstdCompressSync(json)],
    ['zstd, gzip', gzipSync(zstdCompressSync(json))],
  ])('in %s is decoded', (coding, bytes) => {
    expect(compare(value, good, base64(bytes, coding))).toMatchObject({ kind: 'compared', disagreement: 0 })
  })

  test('is read as it is if it was decoded already', () => {
    expect(compare(value, good, base64(json, 'gzip'))).toMatchObject({ kind: 'compared' })
  })

  test('that decodes to more than the limit is unmapped', () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))
    expect(compare(value, good, base64(bomb, 'gzip'))).toMatchObject({ kind: 'failed', reason: 'unmapped' })
  })

  test('in an unknown coding, even one named like a method of objects, is unmapped', () => {
    for (const coding of ['compress', 'constructor', '__proto__']) {
      expect(compare(value, good, base64(gzipSync(json), coding))).toMatchObject({ kind: 'failed' })
    }
  })
})

describe('without two usable answers', () => {
  test.each<[string, Outcome, Outcome, object]>([
    [
      'a failure of the candidate is evidence',
      good,
      { kind: 'timedOut', totalMs: 9 },
      { kind: 'failed', reason: 'timedOut' },
    ],
    ['so is its error status', good, answered({ value: 1 }, { status: 500 }), { kind: 'failed', reason: 'status' }],
    ['our own limit is not', good, { kind: 'shed', totalMs: 0 }, { kind: 'skipped', reason: 'shed' }],
    ['nor is our shutdown', good, { kind: 'aborted', totalMs: 0 }, { kind: 'skipped', reason: 'aborted' }],
    ['a primary that failed skips', { kind: 'reset', totalMs: 1 }, good, { kind: 'skipped', reason: 'reset' }],
    ['so does its error status', answered('', { status: 404 }), good, { kind: 'skipped', reason: 'primaryStatus' }],
    [
      'the same error on both sides skips',
      answered('', { status: 400 }),
      answered('', { status: 400 }),
      { kind: 'skipped', reason: 'primaryStatus' },
    ],
    ['a primary without an answer in its body skips', answered({}), good, { kind: 'skipped', reason: 'unmapped' }],
    ['the primary without a body skips', { kind: 'answered', status: 200, totalMs: 1 }, good, { kind: 'skipped' }],
  ])('%s', (_, primary, candidate, expected) => {
    expect(compare(value, primary, candidate)).toMatchObject(expected)
  })
})

describe('a hostile body of the candidate is unmapped:', () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000)
  test.each([
    ['no JSON', 'NaN'],
    ['NaN within', '{"value":NaN}'],
    ['infinity by overflow', '{"value":1e999}'],
    ['a number whose square overflows', '{"value":1e200}'],
    ['a number in a string', '{"value":"1"}'],
    ['null', '{"value":null}'],
    ['null as the document', 'null'],
    ['an empty array', '{"value":[]}'],
    ['another length', '{"value":[1,2]}'],
    ['a hole in the array', '{"value":[null]}'],
    ['deep nesting', `{"value":${deep}}`],
    ['a huge array', `{"value":[${'1,'.repeat(1_100_000)}1]}`],
    ['an inherited property', '{}'],
    ['nothing', ''],
  ])('%s', (_, body) => {
    expect(compare(value, good, answered(body))).toMatchObject({ kind: 'failed', reason: 'unmapped' })
  })

  test.each(['/__proto__', '/constructor/name', '/value/length', '/value/-', '/value/00', '/value/1e0'])(
    'what %s would find in an object of ours',
    (pointer) => {
      const mapping: OutputMapping = { kind: 'regression', value: '/value', candidate: { value: pointer } }
      expect(compare(mapping, good, answered({ value: [1, 2] }))).toMatchObject({ kind: 'failed' })
    },
  )

  test('but an own key named like a built-in property is found', () => {
    const mapping: OutputMapping = { kind: 'regression', value: '/value', candidate: { value: '/__proto__/0' } }
    expect(compare(mapping, good, answered('{"__proto__":[1]}'))).toMatchObject({ kind: 'compared' })
    const keyed: OutputMapping = { kind: 'classification', scores: '', topK: 3 }
    const body = answered('{"__proto__":0.9,"constructor":0.1}')
    expect(compare(keyed, body, body)).toMatchObject({ kind: 'compared', primary: { label: '__proto__' } })
  })

  test.each([
    ['a missing label', { scores: { a: 1, b: 0 } }],
    ['too few scores', { scores: [1, 0] }],
    ['a score that is none', { scores: [1, 0, 'x'] }],
    ['scores in a string', { scores: '1,0,0' }],
  ])('%s', (_, body) => {
    expect(compare(scores, answered({ scores: [1, 0, 0] }), answered(body))).toMatchObject({ reason: 'unmapped' })
  })

  test('a label that the mapping does not know, that cannot be stored, or that is too long', () => {
    const known: OutputMapping = { kind: 'classification', label: '/label', labels: ['a', 'b'], topK: 3 }
    expect(compare(known, answered({ label: 'a' }), answered({ label: 'x' }))).toMatchObject({ reason: 'unmapped' })
    const any: OutputMapping = { kind: 'classification', label: '/label', topK: 3 }
    for (const label of ['a\0', '\ud800', 'x'.repeat(201), null, ['a']]) {
      expect(compare(any, answered({ label: 'a' }), answered({ label }))).toMatchObject({ reason: 'unmapped' })
    }
  })
})
