import { describe, expect, test } from 'vitest'
import type { JsonMapping } from '../../vocabulary/mapping/mapping-kinds.ts'
import { compareBodies, differencesIn, problemOf } from './compare.fixture.ts'
import type { JsonDifferences } from './compare-json.ts'

const mapping: JsonMapping = { kind: 'json', document: '', ignore: [], tolerance: { absolute: 0, relative: 0 } }
const compare = (p: unknown, c: unknown, more: Partial<JsonMapping> = {}) =>
  differencesIn(compareBodies({ ...mapping, ...more }, p, c)) as JsonDifferences

describe('two documents', () => {
  test('are counted field by field', () => {
    const found = compare(
      { id: 1, name: 'a', tags: ['x', 'y'], at: { lat: 1, lon: 2 }, gone: [1, { deep: true }], none: {} },
      { id: 2, name: 'a', tags: ['x'], at: 'here', none: {}, fresh: null },
    )
    expect(found).toMatchObject({
      equal: 3, // name, tags/0, none
      valueChanged: 1, // id
      missing: 3, // tags/1, gone/0, gone/1/deep
      typeChanged: 2, // at, with two fields
      extra: 1, // fresh
      fields: 10,
      primaryFields: 9,
      candidateFields: 6,
    })
    expect(found.paths.toSorted()).toEqual(['/at', '/fresh', '/gone', '/id', '/tags/*'])
  })

  test('that are equal have no differing field', () => {
    for (const body of [{}, [], null, 3, '"x"', { a: [{ b: [[]] }] }, '{"__proto__":{"a":1},"":0}']) {
      const found = compare(body, body)
      expect(found.equal, JSON.stringify(body)).toBe(found.fields)
      expect(found).toMatchObject({ paths: [], fields: found.primaryFields })
    }
  })

  test('have as many fields from the other side, with missing and extra swapped', () => {
    const [a, b] = [
      { x: [1, 2, { y: 3 }], z: { k: [1, 2] }, n: 1 },
      { x: [1, 3], z: [1], m: { o: 1 }, n: '1' },
    ]
    const [forth, back] = [compare(a, b), compare(b, a)]
    expect(back).toMatchObject({
      fields: forth.fields,
      equal: forth.equal,
      missing: forth.extra,
      extra: forth.missing,
      typeChanged: forth.typeChanged,
      valueChanged: forth.valueChanged,
    })
    expect(forth.fields).toBe(forth.equal + forth.missing + forth.extra + forth.typeChanged + forth.valueChanged)
  })

  test('differ in the last digit of an integer beyond the precision of a double', () => {
    const ofId = (id: string, absolute = 0) =>
      compare(`{"id":1,"at":[${id}]}`, '{"id":1,"at":[9007199254740993]}', { tolerance: { absolute, relative: 0 } })
    expect(ofId('9007199254740992')).toMatchObject({ equal: 1, valueChanged: 1, paths: ['/at/*'] })
    expect(ofId('9007199254740993')).toMatchObject({ equal: 2, fields: 2 })
    expect(ofId('9007199254740992', 1)).toMatchObject({ equal: 2 })
    expect(ofId('5')).toMatchObject({ valueChanged: 1, typeChanged: 0 })
    expect(ofId('"9007199254740993"')).toMatchObject({ typeChanged: 1 })
    expect(compare('-12345678901234567890', '-12345678901234567891').valueChanged).toBe(1)
    expect(compare('1e25', '10000000000000000000000000').equal).toBe(1)
    const deep = (id: string) => `${'['.repeat(100_000)}${id}${']'.repeat(100_000)}`
    expect(compare(deep('9007199254740993'), deep('5')).valueChanged).toBe(1)
  })

  test('may differ in numbers within the tolerance', () => {
    const near = (p: number, c: number, absolute: number, relative: number) =>
      compare({ n: p }, { n: c }, { tolerance: { absolute, relative } }).equal === 1
    expect(near(100, 101, 1, 0)).toBe(true)
    expect(near(100, 101.5, 1, 0)).toBe(false)
    expect(near(100, 101, 0, 0.01)).toBe(true)
    expect(near(100, 102, 0, 0.01)).toBe(false)
    // a share of the greater magnitude
    expect(near(100, 101.005, 0, 0.01)).toBe(true)
    expect(near(0, 1e-7, 1e-6, 1e-3)).toBe(true)
    // the greater of the two tolerances, not their sum
    expect(near(100, 101.5, 1, 0.01)).toBe(false)
    expect(compare('[1e999]', '[1]', { tolerance: { absolute: 1, relative: 1 } })).toMatchObject({ valueChanged: 1 })
  })

  test.each([
    ['"a"', '"b"'],
    ['"1"', '"1.0"'],
    ['true', 'false'],
  ])('differ in %s and %s, however large the tolerance for numbers', (p, c) => {
    const tolerance = { absolute: 10, relative: 1 }
    expect(compare(`{"a":${p}}`, `{"a":${c}}`, { tolerance })).toMatchObject({ valueChanged: 1, paths: ['/a'] })
  })

  test('differ in type where one has null for an object, and lack a field that is null', () => {
    expect(compare('{"a":null}', '{"a":{}}')).toMatchObject({ typeChanged: 1, valueChanged: 0 })
    expect(compare('{"a":null}', '{}')).toMatchObject({ missing: 1, typeChanged: 0 })
  })

  test('of which one has further items name their place in the list', () => {
    expect(compare([1], [1, 2])).toMatchObject({ extra: 1, paths: ['/*'] })
    expect(compare([1, 2], [1])).toMatchObject({ missing: 1, paths: ['/*'] })
  })

  test('are compared without ignored fields, at any depth', () => {
    const ignore = ['/items/*/id', '/meta', '/*/at', '/a~1b']
    const a = {
      items: [
        { id: 1, v: 1 },
        { id: 2, v: 2 },
      ],
      meta: { x: 1 },
      log: { at: 1, by: 'a' },
      'a/b': 1,
    }
    const b = {
      items: [
        { id: 8, v: 1 },
        { id: 9, v: 2 },
      ],
      log: { at: 2, by: 'a' },
    }
    expect(compare(a, b, { ignore })).toMatchObject({ fields: 3, equal: 3, paths: [] })
    expect(compare({ meta: 1 }, {}, { ignore })).toMatchObject({ fields: 0 })
    expect(compare({}, { meta: 1, more: { at: 2 } }, { ignore })).toMatchObject({ fields: 0, paths: [] })
    expect(compareBodies({ ...mapping, ignore }, { meta: 1 }, {})).toMatchObject({ disagreement: 0 })
  })

  test('name a bounded number of places, of bounded length', () => {
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`key${i}`, i]))
    expect(compare(wide, {}).paths).toHaveLength(33)
    expect(compare(wide, {}).paths).toContain('(other)')
    expect(compare({ [`k${'x'.repeat(300)}`]: 1, 'a\0': 1 }, {}).paths).toEqual(['(other)'])
    const list = Array.from({ length: 5000 }, (_, i) => ({ a: i }))
    expect(
      compare(
        list,
        list.map(({ a }) => ({ a: a + 1 })),
      ),
    ).toMatchObject({ paths: ['/*/a'], valueChanged: 5000 })
  })

  test('of any depth are compared without recursion', () => {
    const deep = (leaf: string) => `${'{"a":'.repeat(50_000)}${leaf}${'}'.repeat(50_000)}`
    expect(compare(deep('1'), deep('2'))).toMatchObject({ fields: 1, valueChanged: 1, paths: ['(other)'] })
  })

  test('are unmapped with too many fields, or where there is no document', () => {
    const huge = `[${'1,'.repeat(200_000)}1]`
    expect(problemOf(compareBodies(mapping, [1], huge))).toMatchObject({ code: 'tooLarge', leg: 'candidate' })
    expect(compareBodies({ ...mapping, document: '/d' }, { d: 1 }, { e: 1 })).toMatchObject({ reason: 'unmapped' })
    expect(compareBodies(mapping, {}, 'NaN')).toMatchObject({ reason: 'unmapped', problem: { code: 'format' } })
  })
})
