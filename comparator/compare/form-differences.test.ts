import { expect, test } from 'vitest'
import { formDifferences } from './form-differences.ts'

const list = { predictions: [{ label: 'cat', score: 0.9 }] }

test.each<[string, unknown, unknown, string[]]>([
  [
    'scores by position in place of a list with labels',
    list,
    { predictions: [0.1, 0.9], label: 'cat' },
    ['a number at /predictions/*, where the primary has an object'],
  ],
  [
    'scores by position in place of scores by label',
    { scores: { cat: 0.9 } },
    { scores: [0.9] },
    ['a list at /scores, where the primary has an object'],
  ],
  ['a field that is not there', { id: 'a', v: 1 }, { v: 2 }, ['nothing at /id, where the primary has a string']],
  [
    'a field that items lack',
    list,
    { predictions: [{ label: 'cat' }] },
    ['nothing at /predictions/*/score, where the primary has a number'],
  ],
  ['another type', { ok: true }, { ok: 'yes' }, ['a string at /ok, where the primary has true or false']],
  ['another document', [1], { v: 1 }, ['an object as the whole body, where the primary has a list']],
  ['a key that pointers escape', { 'a/b': 1 }, {}, ['nothing at /a~1b, where the primary has a number']],
])('clients would notice %s', (_, primary, candidate, differences) => {
  expect(formDifferences([{ primary, candidate }])).toEqual(differences)
})

test.each<[string, unknown, unknown]>([
  ['other values', list, { predictions: [{ label: 'dog', score: 1 }] }],
  ['further fields', list, { ...list, took: 3 }],
  ['more or fewer items', list, { predictions: [] }],
  ['what the primary leaves open', { a: null, b: [1, 'x'] }, { a: 1, b: [2] }],
  ['null', { a: 1 }, { a: null }],
  ['documents that are too large', { a: Array(20_000).fill({ x: 1 }) }, {}],
])('clients would not notice %s', (_, primary, candidate) => {
  expect(formDifferences([{ primary, candidate }])).toEqual([])
})

test('what differs in some answers alone is no difference in form', () => {
  const pairs = [
    { primary: { cat: 1, id: 'a' }, candidate: { dog: 1 } },
    { primary: { dog: 1, id: 'b' }, candidate: { dog: 1 } },
  ]
  expect(formDifferences(pairs)).toEqual(['nothing at /id, where the primary has a string'])
  expect(formDifferences([...pairs, { primary: { id: 'c' }, candidate: { id: 'c' } }])).toEqual([])
  expect(formDifferences([])).toEqual([])
})

test('a hostile document neither overflows the stack nor takes long', () => {
  const deep = JSON.parse(`${'['.repeat(5000)}1${']'.repeat(5000)}`)
  expect(formDifferences([{ primary: deep, candidate: {} }])).toEqual([
    'an object as the whole body, where the primary has a list',
  ])
})
