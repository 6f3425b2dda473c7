/** For tests: tokenizers small enough to check by hand. */
const special = (content: string, id: number) => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
})

const pieces = [
  '[PAD]',
  '[UNK]',
  '[CLS]',
  '[SEP]',
  'un',
  '##aff',
  '##able',
  'the',
  'cat',
  'sat',
  '##s',
  'on',
  'mat',
  '.',
]

/** Lower-case words, each split greedily into the longest known pieces; a piece's id is its position above. */
export const wordPiece = (own: Record<string, unknown> = {}) => ({
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: pieces.slice(0, 4).map(special),
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: { type: 'BertProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 2] },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])),
  },
  ...own,
})

const bytePairs = ['<s>', '<pad>', '</s>', 'l', 'o', 'w', 'e', 'r', 'Ġ', 'lo', 'low', 'er', 'Ġlow']

/** Bytes merged in the order of `merges`; Ġ is a space. Like RoBERTa's, with two separators between two texts. */
export const bytePair = (own: Record<string, unknown> = {}) => ({
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: bytePairs.slice(0, 3).map(special),
  normalizer: null,
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
  post_processor: {
    type: 'RobertaProcessing',
    sep: ['</s>', 2],
    cls: ['<s>', 0],
    trim_offsets: true,
    add_prefix_space: false,
  },
  decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
  model: {
    type: 'BPE',
    dropout: null,
    unk_token: null,
    continuing_subword_prefix: null,
    end_of_word_suffix: null,
    fuse_unk: false,
    byte_fallback: false,
    ignore_merges: false,
    vocab: Object.fromEntries(bytePairs.map((pair, id) => [pair, id])),
    merges: [
      ['l', 'o'],
      ['lo', 'w'],
      ['e', 'r'],
      ['Ġ', 'low'],
    ],
  },
  ...own,
})
