type Json = Record<string, unknown>

/** The word characters of the reference's regular expressions, for use inside a character class. */
const wordCharacters = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d`
const punctuation = String.raw`\p{P}\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e`

/**
 * Rewrites a tokenizer.json so that the library (@huggingface/tokenizers 0.2.0) matches the reference, Hugging Face's
 * `tokenizers`: the library recognises only ASCII words and digits, keeps runs of punctuation together, and lower-cases
 * a final capital sigma differently. Throws on a `Punctuation` behaviour that cannot be matched.
 */
export function matchReference(file: Json): Json {
  const { normalizer, pre_tokenizer } = file
  return { ...file, normalizer: withNormalizer(normalizer), pre_tokenizer: withPreTokenizer(pre_tokenizer) }
}

function withNormalizer(part: unknown): unknown {
  const { type, lowercase, normalizers } = (part ?? {}) as Json
  if (type === 'Sequence' && Array.isArray(normalizers)) {
    return { ...(part as Json), normalizers: normalizers.map(withNormalizer) }
  }
  if (type !== 'Lowercase' && !(type === 'BertNormalizer' && lowercase)) return part
  // JavaScript lower-cases Σ at the end of a word to ς
  return { type: 'Sequence', normalizers: [{ type: 'Replace', pattern: { String: 'Σ' }, content: 'σ' }, part] }
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
