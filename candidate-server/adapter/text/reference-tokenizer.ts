type Json = Record<string, unknown>

/** Of the reference's regular expressions, inside of a class. */
const wordCharacters = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d`
const punctuation = String.raw`\p{P}\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e`

/**
 * A tokenizer.json whose parts the library (@huggingface/tokenizers 0.2.0) computes as the reference, Hugging Face's
 * `tokenizers`, does: by itself it knows words and digits of ASCII alone, keeps a run of punctuation together, and
 * gives Greek capitals another last letter. Throws where there is no such part.
 */
export function asReferenceHasIt(file: Json): Json {
  const { normalizer, pre_tokenizer } = file
  return { ...file, normalizer: withNormalizer(normalizer), pre_tokenizer: withPreTokenizer(pre_tokenizer) }
}

function withNormalizer(part: unknown): unknown {
  const { type, lowercase, normalizers } = (part ?? {}) as Json
  if (type === 'Sequence' && Array.isArray(normalizers)) {
    return { ...(part as Json), normalizers: normalizers.map(withNormalizer) }
  }
  if (type !== 'Lowercase' && !(type === 'BertNormalizer' && lowercase)) return part
  // JavaScript's own lower case of a word's last Σ is ς
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
