import { describe, expect, test } from 'vitest'
import { compareJson } from './compare-json.ts'
import { fieldsShownMax, listFields } from './list-fields.ts'
import type { JsonReading } from './read/read-json.ts'
import { spellJson } from './spell-json.ts'

const rules = { ignore: ['/id', '/items/*/at'], tolerance: { absolute: 0.01, relative: 0 } }
const reading = (document: unknown): JsonReading => ({ kind: 'json', document, fields: 0 })
const list = (primary: unknown, candidate: unknown) => listFields(reading(primary), reading(candidate), rules)
const same = (text: string) => ({ text, length: text.length })

describe('the fields of two documents', () => {
  test('that differ are listed in the order of the document, each with both values', () => {
    const { differing, equal } = list(
      { a: 1, b: 'x', c: { d: null, e: [1, 2] }, f: true },
      { a: 2, c: { d: {}, e: [1] }, f: true, 'g/h': '<b>' },
    )
    expect(differing.shown).toEqual([
      { path: '/a', how: 'valueChanged', primary: same('1'), candidate: same('2') },
      { path: '/b', how: 'missing', primary: { text: '"x"', length: 1 }, candidate: null },
      { path: '/c/d', how: 'typeChanged', primary: same('null'), candidate: same('{}') },
      { path: '/c/e/1', how: 'missing', primary: same('2'), candidate: null },
      { path: '/g~1h', how: 'extra', primary: null, candidate: { text: '"<b>"', length: 3 } },
    ])
    expect(equal).toBe(2)
  })
  test('show all digits of an integer beyond the precision of a double', () => {
    const { differing } = list({ n: 9007199254740993n, m: [1] }, { n: 9007199254740995n, m: 9007199254740993n })
    expect(differing.shown).toEqual([
      { path: '/n', how: 'valueChanged', primary: same('9007199254740993'), candidate: same('9007199254740995') },
      { path: '/m', how: 'typeChanged', primary: same('[1]'), candidate: same('9007199254740993') },
    ])
  })
  test('that are equal within the tolerance, or ignored, are listed separately', () => {
    const { differing, tolerated, ignored, equal } = list(
      { id: 1, total: 9.99, items: [{ at: 1, n: 1 }] },
      { id: 2, total: 9.995, items: [{ at: 2, n: 1 }] },
    )
    expect(differing).toEqual({ count: 0, places: 0, shown: [] })
    expect(tolerated.shown.map(({ path }) => path)).toEqual(['/total'])
    expect(ignored.shown.map(({ path, how }) => [path, how])).toEqual([
      ['/id', 'valueChanged'],
      ['/items/0/at', 'valueChanged'],
    ])
    expect(equal).toBe(2)
  })
  test('are counted as by the comparison, whatever the documents', () => {
    let seed = 11
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    const some = (levels: number): unknown => {
      const kind = random(levels > 0 ? 7 : 4)
      if (kind < 4) return [null, random(3), 'x', random(3) + 0.005][kind]
      const entries = Array.from({ length: random(4) }, () => some(levels - 1))
      return kind === 4 ? entries : Object.fromEntries(entries.map((value, i) => [['id', 'a', 'b', 'items'][i], value]))
    }
    for (let i = 0; i < 500; i++) {
      const [primary, candidate] = [reading(some(4)), reading(some(4))]
      const counted = compareJson(primary, candidate, rules)
      const listed = listFields(primary, candidate, rules)
      expect(listed.equal).toBe(counted.equal)
      expect(listed.differing.count).toBe(counted.fields - counted.equal)
    }
  })
  test('are shown up to a limit, however many and deep', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, i]))
    const { differing } = list(many, {})
    expect([differing.count, differing.places, differing.shown.length]).toEqual([1000, 1000, fieldsShownMax])
    let deep: unknown = 1
    for (let i = 0; i < 50_000; i++) deep = { a: deep }
    const nested = list(deep, { a: { a: 1 } })
    expect(nested.differing.count).toBe(1)
    expect(nested.differing.shown[0]!.primary!.text.length).toBeLessThan(200)
  })
})

test('a value is shown as JSON up to a limit, and says what is left out', () => {
  expect(spellJson({ a: [1, 'x'], b: {} }, 100).text).toBe('{"a": [1, "x"], "b": {}}')
  expect(spellJson('y'.repeat(1000), 10)).toEqual({ text: `"${'y'.repeat(10)}…"`, length: 1000 })
  expect(
    spellJson(
      Array.from({ length: 1000 }, (_, i) => i),
      20,
    ).text,
  ).toMatch(/^\[0, 1, .*… 99\d more\]$/)
  expect(spellJson('a\ud83d\ude00', 2).text).toBe('"a\ufffd…"')
})
