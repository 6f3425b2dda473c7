import type { Tokenizer } from '@huggingface/tokenizers'
import { createCharsmap } from './charsmap.ts'

type Json = Record<string, unknown>
type Normalizer = NonNullable<Tokenizer['normalizer']>

/** Chinese characters beyond 16 bits, which the reference separates from their neighbours. */
const rareChinese = '[\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]'

/** The word characters of the reference's regular expressions, for use inside a character class. */
const wordCharacters = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d`
const punctuation = String.raw`\p{P}\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e`

/**
 * Rewrites a tokenizer.json so that the library (@huggingface/tokenizers 0.2.0) matches the reference, Hugging Face's
 * `tokenizers`: the library recognises only ASCII words and digits, takes U+FEFF for a space and U+0085 for none, keeps
 * runs of punctuation together, merges no separators, leaves texts whole under Metaspace, lower-cases a final capital
 * sigma differently, and does not separate rare Chinese characters. Throws on parts that cannot be matched.
 */
export function matchReference(file: Json): Json {
  const { normalizer, pre_tokenizer, added_tokens, model } = file
  const { type, continuing_subword_prefix } = (model ?? {}) as Json
  if (type === 'BPE' && continuing_subword_prefix) throw new Error('BPE with a continuing_subword_prefix')
  const single = (added_tokens as Json[]).find(({ single_word }) => single_word)
  if (single) throw new Error(`the token ${single.content} with single_word`)
  return { ...file, normalizer: withNormalizer(normalizer), pre_tokenizer: withPreTokenizer(pre_tokenizer) }
}

function withNormalizer(part: unknown): unknown {
  const { type, lowercase, handle_chinese_chars, normalizers, strip_left, strip_right } = (part ?? {}) as Json
  if (type === 'Sequence' && Array.isArray(normalizers)) {
    return { ...(part as Json), normalizers: normalizers.map(withNormalizer) }
  }
  if (type === 'Strip') {
    const left = strip_left ? [replace({ Regex: String.raw`\A\s+` }, '')] : []
    // looked for only where a run begins: otherwise a long run inside a text causes quadratic backtracking
    const right = strip_right ? [replace({ Regex: String.raw`(?<!\s)\s+\z` }, '')] : []
    return { type: 'Sequence', normalizers: [...left, ...right] }
  }
  const isBert = type === 'BertNormalizer'
  const before = [
    // JavaScript lower-cases Σ at the end of a word to ς
    ...(type === 'Lowercase' || (isBert && lowercase) ? [replace({ String: 'Σ' }, 'σ')] : []),
    // the library looks at UTF-16 units, and so sees only halves of these characters
    ...(isBert && handle_chinese_chars ? [replace({ Regex: rareChinese }, ' $& ')] : []),
  ]
  return before.length === 0 ? part : { type: 'Sequence', normalizers: [...before, part] }
}

const replace = (pattern: { String: string } | { Regex: string }, content: string) => ({
  type: 'Replace',
  pattern,
  content,
})

/** Applies each normalizer's own map of characters; the library approximates the same map for all of them. */
export function applyCharsmaps(normalizer: Normalizer | null): void {
  if (!normalizer) return
  const { config, normalizers = [] } = normalizer as Normalizer & { normalizers?: Normalizer[] }
  const { type, precompiled_charsmap: charsmap } = config as Json
  if (type === 'Precompiled' && typeof charsmap === 'string') normalizer.normalize = createCharsmap(charsmap)
  normalizers.forEach(applyCharsmaps)
}

/** GPT-2's words, which `ByteLevel` splits a text into. */
const byteLevelWords = String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

function withPreTokenizer(part: unknown): unknown {
  const { type, pretokenizers, individual_digits, behavior = 'Isolated' } = (part ?? {}) as Json
  switch (type) {
    case 'Sequence': {
      if (!Array.isArray(pretokenizers)) return part
      if (pretokenizers.some(({ prepend_scheme }, i) => i > 0 && prepend_scheme === 'first')) {
        throw new Error('Metaspace with the prepend_scheme first behind another pre-tokenizer')
      }
      return { ...(part as Json), pretokenizers: pretokenizers.map(withPreTokenizer) }
    }
    case 'Metaspace':
      return withMetaspace(part as Json)
    case 'BertPreTokenizer':
      return split(`[^\\s${punctuation}]+|[${punctuation}]`, 'Removed', true)
    case 'ByteLevel':
      return withByteLevel(part as Json)
    case 'FixedLength':
      return split(String.raw`[\s\S]{1,${(part as Json).length}}`, 'Removed', true)
    case 'Split':
      return withSplit(part as Json)
    case 'Whitespace':
      return split(`[${wordCharacters}]+|[^${wordCharacters}\\s]+`, 'Removed', true)
    case 'WhitespaceSplit':
      return split(String.raw`\s+`, 'Removed')
    case 'Digits':
      return split(individual_digits ? String.raw`\p{N}` : String.raw`\p{N}+`, 'Isolated')
    case 'Punctuation':
      if (behavior === 'Contiguous') return part
      if (behavior !== 'Isolated' && behavior !== 'Removed') {
        throw new Error(`Punctuation with the behavior ${behavior}`)
      }
      return split(`[${punctuation}]`, behavior)
    default:
      return part
  }
}

function withByteLevel(part: Json): Json {
  if (part.use_regex === false) return part
  const prefix = { type: 'Replace', pattern: { Regex: String.raw`\A[^ ]` }, content: ' $&' }
  const bytes = { ...part, add_prefix_space: false, use_regex: false }
  return {
    type: 'Sequence',
    pretokenizers: [...(part.add_prefix_space ? [prefix] : []), split(byteLevelWords, 'Removed', true), bytes],
  }
}

function withMetaspace(part: Json): Json {
  const { replacement = '▁', split: isSplit = true } = part
  const words = withSplit({ behavior: 'MergedWithNext', pattern: { String: replacement } })
  return isSplit ? { type: 'Sequence', pretokenizers: [part, words] } : part
}

/**
 * The library isolates separators that are to be merged, removes what lies between inverted ones, and does not remove
 * those that are strings.
 */
function withSplit(part: Json): Json {
  const { behavior, invert, pattern } = part
  const { String: separator } = pattern as { String?: string }
  if (behavior === 'Isolated') return { ...part, invert: false }
  if (behavior === 'Removed') {
    return separator === undefined || invert ? part : split(separator.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&'), 'Removed')
  }
  const isMerged = behavior === 'MergedWithPrevious' || behavior === 'MergedWithNext'
  if (!isMerged || invert || separator?.length !== 1) {
    throw new Error(`Split with the behavior ${behavior} at ${JSON.stringify(pattern)}`)
  }
  const one = String.raw`\x{${separator.charCodeAt(0).toString(16)}}`
  return split(behavior === 'MergedWithNext' ? `(?=${one})` : `(?<=${one})`, 'Removed')
}

const split = (Regex: string, behavior: 'Isolated' | 'Removed', invert = false) => ({
  type: 'Split',
  pattern: { Regex },
  behavior,
  invert,
})

/**
 * The library fuses unknown tokens across words, where the reference does so within each, and replaces unknown
 * characters by their bytes only in BPE, not in Unigram.
 */
export function matchModel({ model }: Tokenizer): void {
  const { type, byte_fallback } = model.config as Json
  const inBytes = type === 'Unigram' && byte_fallback === true
  if (!model.fuse_unk && !inBytes) return
  const tokensOf = model._call.bind(model)
  const isKnown = (token: string) => model.tokens_to_ids.has(token)
  const bytesOrSelf = (token: string) => {
    if (isKnown(token)) return [token]
    const bytes = Array.from(Buffer.from(token), (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)
    return bytes.every(isKnown) ? bytes : [token]
  }
  model._call = (words: string[]) => {
    const tokens = words.flatMap((word): string[] => tokensOf([word]))
    return inBytes ? tokens.flatMap(bytesOrSelf) : tokens
  }
}
