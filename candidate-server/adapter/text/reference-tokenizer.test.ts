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

const splitAt = (pattern: unknown, behavior: string, invert = false) => ({ type: 'Split', pattern, behavior, invert })

// golden values from Python's tokenizers 0.23.3
test.each([
  [{ type: 'Whitespace' }, "Zürich|’|s|x\u200dy|日本|a|½|3٤|(...)|don|'|t|\ufeff"],
  [{ type: 'WhitespaceSplit' }, "Zürich’s|x\u200dy|日本|a½3٤|(...)|don't\ufeff"],
  [afterSpaces({ type: 'Digits', individual_digits: false }), "Zürich’s|x\u200dy|日本|a|½3٤|(...)|don't\ufeff"],
  [afterSpaces({ type: 'Digits', individual_digits: true }), "Zürich’s|x\u200dy|日本|a|½|3|٤|(...)|don't\ufeff"],
  [afterSpaces({ type: 'Punctuation', behavior: 'Isolated' }), "Zürich|’|s|x\u200dy|日本|a½3٤|(|.|.|.|)|don|'|t\ufeff"],
  [afterSpaces({ type: 'Punctuation', behavior: 'Removed' }), 'Zürich|s|x\u200dy|日本|a½3٤|don|t\ufeff'],
  [afterSpaces({ type: 'Punctuation', behavior: 'Contiguous' }), "Zürich|’|s|x\u200dy|日本|a½3٤|(...)|don|'|t\ufeff"],
  [{ type: 'BertPreTokenizer' }, "Zürich|’|s|x\u200dy|日本|a½3٤|(|.|.|.|)|don|'|t\ufeff"],
  [{ type: 'FixedLength', length: 5 }, "Züric|h’s x|\u200dy 日本| a½3٤| (...|) don|'t\ufeff"],
  [{ type: 'Metaspace', replacement: '▁' }, "▁Zürich’s|▁x\u200dy|▁日本|▁a½3٤|▁(...)|▁don't\ufeff"],
  [{ type: 'Metaspace', replacement: '▁', split: false }, "▁Zürich’s▁x\u200dy▁日本▁a½3٤▁(...)▁don't\ufeff"],
  [splitAt({ String: ' ' }, 'Removed'), "Zürich’s|x\u200dy|日本|a½3٤|(...)|don't\ufeff"],
  [splitAt({ String: ' ' }, 'MergedWithPrevious'), "Zürich’s |x\u200dy |日本 |a½3٤ |(...) |don't\ufeff"],
  [splitAt({ String: ' ' }, 'MergedWithNext'), "Zürich’s| x\u200dy| 日本| a½3٤| (...)| don't\ufeff"],
  [
    splitAt({ Regex: String.raw`\p{L}+` }, 'Isolated', true),
    "Zürich|’|s| |x|\u200d|y| |日本| |a|½3٤ (...) |don|'|t|\ufeff",
  ],
])('%j is split into words, digits and punctuation of all scripts like in the reference', (preTokenizer, expected) => {
  expect(words(preTokenizer, "Zürich’s x\u200dy 日本 a½3٤ (...) don't\ufeff").join('|')).toBe(expected)
})

test.each([true, false])('bytes are those of the words in the reference; a space before the first: %s', (prefix) => {
  const byteLevel = { type: 'ByteLevel', add_prefix_space: prefix, use_regex: true }
  const expected = `${prefix ? 'Ġ' : ''}ðł®·|!ï»¿|Ġ|Ġa|Ġ|Âħ|b`
  expect(words(byteLevel, '𠮷!\ufeff  a \x85b').join('|')).toBe(expected)
})

test.each([
  [true, true, '\ufeffa  b\ufeff'],
  [true, false, '\ufeffa  b\ufeff \x85\n'],
  [false, true, '\x85\u3000 \ufeffa  b\ufeff'],
])('spaces are stripped like in the reference: left %s, right %s', (strip_left, strip_right, expected) => {
  const normalizer = { type: 'Strip', strip_left, strip_right }
  expect(wordLevel({ normalizer }).encode('\x85\u3000 \ufeffa  b\ufeff \x85\n').tokens).toEqual([expected])
})

test('unknown characters are fused within a word, not across words', () => {
  const model = { type: 'BPE', unk_token: '<unk>', fuse_unk: true, vocab: { '<unk>': 0, a: 1 }, merges: [] }
  const parts = { model, pre_tokenizer: { type: 'WhitespaceSplit' } }
  expect(wordLevel(parts).encode('xy z axx').ids).toEqual([0, 0, 1, 0])
})

test('a Unigram model has the bytes of what it does not know, if it knows them all', () => {
  const vocab = ['<unk>', 'a', '<0xC3>', '<0xBC>', '<0x62>'].map((piece, i) => [piece, -i])
  const model = { type: 'Unigram', unk_id: 0, byte_fallback: true, vocab }
  const tokenizer = wordLevel({ model, pre_tokenizer: { type: 'WhitespaceSplit' } })
  expect(tokenizer.encode('aüba é üb').ids).toEqual([1, 2, 3, 4, 1, 0, 2, 3, 4])
  expect(tokenizer.encode('aüé').ids).toEqual([1, 0])
})

test('tokenizer_config.json changes no text: the reference does not read it', () => {
  const config = join(folder, 'tokenizer_config.json')
  writeFileSync(config, '{"remove_space": true, "do_lowercase_and_remove_accent": true}')
  onTestFinished(() => rmSync(config))
  expect(wordLevel({}).encode(' É  a\n').tokens).toEqual([' É  a\n'])
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

// golden values from Python's tokenizers 0.23.3
test.each([
  ['<s>cat', [3, 2]],
  ['＜s＞<s>cat', [1, 3, 2]],
  ['\ufeff<m>\ufeffcat', [1, 4, 1]],
  ['\x85<m>\x85 cat', [4, 2]],
  ['cat<m>', [1, 4]],
  ['ＤＯＧcat', [5, 2]],
  ['Dog cat', [5, 1]],
])('added tokens are found in %j as in the reference', (text, ids) => {
  const added_tokens = [
    { id: 3, content: '<s>', special: true },
    { id: 4, content: '<m>', special: true, lstrip: true, rstrip: true },
    { id: 5, content: 'Dog', normalized: true },
  ]
  const normalizer = { type: 'Sequence', normalizers: [{ type: 'NFKC' }, { type: 'Lowercase' }] }
  const pre_tokenizer = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: true }
  expect(wordLevel({ added_tokens, normalizer, pre_tokenizer }).encode(text).ids).toEqual(ids)
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

const merged = { type: 'Split', pattern: { Regex: 'x' }, behavior: 'MergedWithNext', invert: false }
const first = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: true }
const prefixed = { type: 'BPE', continuing_subword_prefix: '##', vocab: {}, merges: [] }
test.each([
  [
    { pre_tokenizer: { type: 'Punctuation', behavior: 'MergedWithNext' } },
    'Punctuation with the behavior MergedWithNext',
  ],
  [{ pre_tokenizer: merged }, 'Split with the behavior MergedWithNext at {"Regex":"x"}'],
  [{ pre_tokenizer: afterSpaces(first) }, 'Metaspace with the prepend_scheme first behind another pre-tokenizer'],
  [{ model: prefixed }, 'BPE with a continuing_subword_prefix'],
])('%j, which the library would treat differently, is refused with a message', (parts, message) => {
  expect(() => wordLevel(parts)).toThrow(`is not supported: ${message}; tokenize in a module`)
})
