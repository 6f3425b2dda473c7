import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCharsmap } from './charsmap.ts'

/** By sentencepiece from the rules A → a, Σ → σ, ﬁ → fi, U+3000 → space, カ + U+3099 → ガ, e + U+0301 → é; BEL and U+0301 → nothing. */
const map = readFileSync(join(import.meta.dirname, '../../testdata/characters.map'))

// golden values: Precompiled of Python's tokenizers 0.23.3
test.each([
  ['AbA ﬁn', 'aba fin'],
  ['plain, A', 'plain, a'],
  ['e\u0301A', 'éa'],
  ['x\u0301y', 'xy'],
  ['A\u0301', 'a'],
  ['e\u0301\u0301', 'é'],
  ['a\x07b\r\nA', 'ab\r\na'],
  // longer than five bytes as a whole, so that each of its characters is looked for
  ['カ\u3099\u3000Σ', 'カ\u3099 σ'],
  ['👨\u200d👩A', '👨\u200d👩a'],
  ['\u0600A\u0301B', '\u0600aB'],
  ['Ae\u0301\0A', 'aé\0a'],
  ['éA', 'éa'],
  ['', ''],
])('%j becomes what the map says', (text, expected) => {
  expect(createCharsmap(map.toString('base64'))(text)).toBe(expected)
})

test('a map that is cut short is refused', () => {
  for (const bytes of [0, 3, 500]) {
    expect(() => createCharsmap(map.subarray(0, bytes).toString('base64'))).toThrow(/precompiled_charsmap cut short/)
  }
})
