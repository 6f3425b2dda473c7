import type { Tokenizer } from '@huggingface/tokenizers'

interface AddedToken {
  content: string
  /** Whether it is looked for, normalised, in the normalised text, and not as it stands in the text as it stands. */
  normalized: boolean
  /** Whether it takes the spaces before it. */
  lstrip: boolean
  /** Whether it takes the spaces behind it. */
  rstrip: boolean
}

/** The library's tokenizer with its private parts. */
interface Parts {
  added_tokens: AddedToken[]
  normalizer: ((text: string) => string) | null
  pre_tokenizer: ((text: string, options: { section_index: number }) => string[]) | null
  model: (words: string[]) => string[]
  encode_text: (text: string | null) => string[] | null
}

/**
 * Makes the library (@huggingface/tokenizers 0.2.0) find added tokens as the reference does. It also takes a text for a
 * token that becomes one only when it is normalised, such as `＜s＞` under NFKC, and beside tokens takes U+FEFF for a
 * space and U+0085 for none.
 */
export function matchAddedTokens(tokenizer: Tokenizer): void {
  const parts = tokenizer as unknown as Parts
  const { added_tokens, pre_tokenizer, model } = parts
  const normalize = parts.normalizer ?? ((text: string) => text)
  const split = (text: string, section_index: number) =>
    pre_tokenizer ? pre_tokenizer(text, { section_index }) : [text]
  const before = createFinder(added_tokens.filter(({ normalized }) => !normalized))
  const after = createFinder(
    added_tokens.filter(({ normalized }) => normalized),
    normalize,
  )
  parts.encode_text = (text) =>
    text === null ? null : before(text, (rest, at) => after(normalize(rest), (words, i) => model(split(words, at + i))))
}

type Encode = (rest: string, index: number) => string[]

/** Returns a function that finds these tokens in a text, and encodes the rests before, between and behind them. */
function createFinder(
  tokens: readonly AddedToken[],
  form = (content: string) => content,
): (text: string, encode: Encode) => string[] {
  const byText = new Map(tokens.map((token) => [form(token.content), token]))
  byText.delete('')
  if (byText.size === 0) return (text, encode) => (text === '' ? [] : encode(text, 0))
  // of those that begin at the same place the longest counts
  const longestFirst = [...byText.keys()].sort((a, b) => b.length - a.length).map((text) => RegExp.escape(text))
  const anyToken = new RegExp(`(${longestFirst.join('|')})`)
  return (text, encode) => {
    // tokens are at the odd places
    const pieces = text.split(anyToken)
    return pieces.flatMap((piece, i) => {
      if (i % 2 === 1) return [byText.get(piece)!.content]
      const [left, right] = [byText.get(pieces[i - 1] ?? ''), byText.get(pieces[i + 1] ?? '')]
      const rest = withoutSpaces(piece, left?.rstrip ?? false, right?.lstrip ?? false)
      return rest === '' ? [] : encode(rest, i)
    })
  }
}

function withoutSpaces(text: string, left: boolean, right: boolean): string {
  const begun = left ? text.replace(/^\p{White_Space}+/u, '') : text
  // looked for only where a run begins: otherwise a long run inside a text causes quadratic backtracking
  return right ? begun.replace(/(?<!\p{White_Space})\p{White_Space}+$/u, '') : begun
}
