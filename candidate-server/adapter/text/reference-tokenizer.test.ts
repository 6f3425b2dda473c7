import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { readTokenizer } from './tokenizer-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-tokenizer-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Every word it finds becomes a token. */
function wordLevel(parts: Record<string, unknown>) {
  const path = join(folder, 'tokenizer.json')
  const model = { type: 'WordLevel', unk_token: '[UNK]', vocab: { '[PAD]': 0, '[UNK]': 1, cat: 2 } }
  writeFileSync(path, JSON.stringify({ model, ...parts }))
  return readTokenizer('words', path).tokenizer
}
const words = (pre_tokenizer: unknown, text: string) => wordLevel({ pre_tokenizer }).encode(text).tokens
const afterSpaces = (part: unknown) => ({ type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, part] })

// golden values from Python's tokenizers 0.23.3
test.each([
  [{ type: 'Whitespace' }, "Zürich|’|s|x\u200dy|日本|a|½|3٤|(...)|don|'|t|\ufeff"],
  [{ type: 'WhitespaceSplit' }, "Zürich’s|x\u200dy|日本|a½3٤|(...)|don't\ufeff"],
  [afterSpaces({ type: 'Digits', individual_digits: false }), "Zürich’s|x\u200dy|日本|a|½3٤|(...)|don't\ufeff"],
  [afterSpaces({ type: 'Digits', individual_digits: true }), "Zürich’s|x\u200dy|日本|a|½|3|٤|(...)|don't\ufeff"],
  [afterSpaces({ type: 'Punctuation', behavior: 'Isolated' }), "Zürich|’|s|x\u200dy|日本|a½3٤|(|.|.|.|)|don|'|t\ufeff"],
  [afterSpaces({ type: 'Punctuation', behavior: 'Removed' }), 'Zürich|s|x\u200dy|日本|a½3٤|don|t\ufeff'],
  [afterSpaces({ type: 'Punctuation', behavior: 'Contiguous' }), "Zürich|’|s|x\u200dy|日本|a½3٤|(...)|don|'|t\ufeff"],
])('%j is split into words, digits and punctuation of all scripts like in the reference', (preTokenizer, expected) => {
  expect(words(preTokenizer, "Zürich’s x\u200dy 日本 a½3٤ (...) don't\ufeff").join('|')).toBe(expected)
})

test('a final Greek capital sigma is lower-cased like in the reference', () => {
  const lower = (normalizer: unknown) => wordLevel({ normalizer }).encode('ΣΟΦΟΣ İ').tokens
  expect(lower({ type: 'Lowercase' })).toEqual(['σοφοσ i̇'])
  expect(lower({ type: 'Sequence', normalizers: [{ type: 'BertNormalizer', lowercase: true }] })).toEqual(['σοφοσ i'])
})

test('Chinese characters beyond 16 bits are words of their own', () => {
  const parts = {
    normalizer: { type: 'BertNormalizer', handle_chinese_chars: true },
    pre_tokenizer: { type: 'Whitespace' },
  }
  expect(wordLevel(parts).encode('a𠮷b c𫠠d 你好').tokens.join('|')).toBe('a|𠮷|b|c𫠠d|你|好')
  expect(wordLevel({ ...parts, normalizer: { type: 'BertNormalizer' } }).encode('a𠮷b').tokens).toEqual(['a𠮷b'])
})

test('a text is normalised by the file’s own map of characters', () => {
  const charsmap = readFileSync(join(import.meta.dirname, '../../testdata/characters.map')).toString('base64')
  const normalizer = { type: 'Sequence', normalizers: [{ type: 'Precompiled', precompiled_charsmap: charsmap }] }
  expect(wordLevel({ normalizer }).encode('ABΣ').tokens).toEqual(['aBσ'])
})

test('a token with single_word is refused: the library would find it inside other words too', () => {
  const added_tokens = [{ id: 3, content: 'dog', single_word: true }]
  expect(() => wordLevel({ added_tokens })).toThrow(
    /is not supported: the token dog with single_word; tokenize in a module/,
  )
})

test('a WordLevel model has a token for unknown words', () => {
  expect(wordLevel({ pre_tokenizer: { type: 'Whitespace' } }).encode('cat dog').ids).toEqual([2, 1])
})

test('if a WordLevel model does not name its unknown token, the config’s counts', () => {
  const config = join(folder, 'tokenizer_config.json')
  writeFileSync(config, '{"unk_token": "[UNK]"}')
  onTestFinished(() => rmSync(config))
  const model = { type: 'WordLevel', vocab: { '[UNK]': 1, cat: 2 } }
  expect(wordLevel({ model, pre_tokenizer: { type: 'Whitespace' } }).encode('cat dog').ids).toEqual([2, 1])
})

test('punctuation merged with its neighbours is refused with a message', () => {
  const start = () => wordLevel({ pre_tokenizer: { type: 'Punctuation', behavior: 'MergedWithNext' } })
  expect(start).toThrow(/is not supported: Punctuation with the behavior MergedWithNext; tokenize in a module/)
})
