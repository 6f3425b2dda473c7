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
 * `tokenizers`: the library recognises only ASCII words and digits, keeps runs of punctuation together, lower-cases a
 * final capital sigma differently, and does not separate rare Chinese characters. Throws on parts that cannot be
 * matched.
 */
export function matchReference(file: Json): Json {
  const { normalizer, pre_tokenizer, added_tokens } = file
  const single = (added_tokens as Json[]).find(({ single_word }) => single_word)
  if (single) throw new Error(`the token ${single.content} with single_word`)
  return { ...file, normalizer: withNormalizer(normalizer), pre_tokenizer: withPreTokenizer(pre_tokenizer) }
}

function withNormalizer(part: unknown): unknown {
  const { type, lowercase, handle_chinese_chars, normalizers } = (part ?? {}) as Json
  if (type === 'Sequence' && Array.isArray(normalizers)) {
    return { ...(part as Json), normalizers: normalizers.map(withNormalizer) }
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

function withPreTokenizer(part: unknown): unknown {
  const { type, pretokenizers, individual_digits, behavior = 'Isolated' } = (part ?? {}) as Json
  switch (type) {
    case 'Sequence':
      return Array.isArray(pretokenizers)
        ? { ...(part as Json), pretokenizers: pretokenizers.map(withPreTokenizer) }
        : part
    case 'Whitespace':
      return split(`[${wordCharacters}]+|[^${wordCharacters}\\s]+`, 'Removed', true)
    case 'WhitespaceSplit':
      return split(String.raw`\s+`, 'Removed')
    case 'Digits':
      return split(individual_digits ? String.raw`\p{N}` : String.raw`\p{N}+`, 'Isolated')
    case 'Punctuation':
      if (behavior === 'Contiguous') return part
      if (behavior !== 'Isolated' && behavior !== 'Removed')
        throw new Error(`Punctuation with the behavior ${behavior}`)
      return split(`[${punctuation}]`, behavior)
    default:
      return part
  }
}

const split = (Regex: string, behavior: 'Isolated' | 'Removed', invert = false) => ({
  type: 'Split',
  pattern: { Regex },
  behavior,
  invert,
})
