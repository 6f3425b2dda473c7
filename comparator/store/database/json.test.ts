import { expect, test } from 'vitest'
import { storableText, toJson } from './json.ts'

test('only what PostgreSQL cannot store is replaced, in values and in keys', () => {
  expect(JSON.parse(toJson({ 'a\u0000': ['\ud800', '\udc00x', '\u0000'] }))).toEqual({
    'a\uFFFD': ['\uFFFD', '\uFFFDx', '\uFFFD'],
  })
  const untouched = { text: '\\u0000 \\\\ud800 \ud83d\ude00 \u0001 "quoted"' }
  expect(JSON.parse(toJson(untouched))).toEqual(untouched)
  const afterBackslash = { text: '\\\u0000' }
  expect(JSON.parse(toJson(afterBackslash))).toEqual({ text: '\\\uFFFD' })
})

test('a key is the same in text and in JSON', () => {
  const key = 'a\u0000b\ud800\\u0000'
  expect(storableText(key)).toBe(JSON.parse(toJson(key)))
})
