/**
 * Applies a SentencePiece model's `precompiled_charsmap`, which normalises a text before it is split into tokens: a
 * double-array trie (Darts) and the replacements to which it leads. The result is that of Hugging Face's `tokenizers`;
 * @huggingface/tokenizers 0.2.0 treats every map as `nmt_nfkc`, which it approximates.
 */

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/**
 * Runs of printable ASCII, the bulk of most texts. Next to others of its kind (or an end of the text), each of these
 * characters is a grapheme by itself, so the runs need no segmenter.
 */
const printable = /((?<=^|[ -~])[ -~]+(?=[ -~]|$))/
/** Longer graphemes are looked up character by character. */
const graphemeBytesMax = 5
/** How many graphemes to remember with their replacements, because texts repeat them. */
const keptMax = 16_384

/** `base64` is the map as in tokenizer.json. Throws if the map is cut short. */
export function createCharsmap(base64: string): (text: string) => string {
  const bytes = Buffer.from(base64, 'base64')
  const trieBytes = bytes.length < 4 ? Number.NaN : bytes.readUInt32LE(0)
  if (!(trieBytes % 4 === 0 && 4 + trieBytes <= bytes.length)) throw new Error('a precompiled_charsmap cut short')
  const trie = Uint32Array.from({ length: trieBytes / 4 }, (_, i) => bytes.readUInt32LE(4 + 4 * i))
  const texts = bytes.subarray(4 + trieBytes)

  /** The replacement of the shortest prefix of `part` in the map; `undefined` if it has none. */
  const find = (part: Buffer): string | undefined => {
    let at = offsetOf(trie[0]!)
    for (const byte of part) {
      at ^= byte
      const unit = trie[at]
      if (unit === undefined || byte === 0 || labelOf(unit) !== byte) return undefined
      at ^= offsetOf(unit)
      if (hasLeaf(unit)) {
        const from = trie[at]! & 0x7fffffff
        return texts.toString('utf8', from, texts.indexOf(0, from))
      }
    }
    return undefined
  }
  const findAll = (grapheme: string): string => {
    const whole = Buffer.from(grapheme)
    const found = whole.length <= graphemeBytesMax ? find(whole) : undefined
    return found ?? Array.from(grapheme, (character) => find(Buffer.from(character)) ?? character).join('')
  }
  const found = new Map<string, string>()
  const normalize = (grapheme: string): string => {
    const before = found.get(grapheme)
    if (before !== undefined) return before
    const normalized = findAll(grapheme)
    if (found.size < keptMax && grapheme.length <= graphemeBytesMax) found.set(grapheme, normalized)
    return normalized
  }
  const leavesPrintable = printables.every((character) => normalize(character) === character)
  const normalizeRun = (run: string) => (leavesPrintable ? run : Array.from(run, normalize).join(''))
  const normalizeRest = (rest: string) =>
    Array.from(graphemes.segment(rest), ({ segment }) => normalize(segment)).join('')
  return (text) =>
    text
      .split(printable)
      .map((part, i) => (i % 2 === 1 ? normalizeRun(part) : normalizeRest(part)))
      .join('')
}

const printables = Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i))

const hasLeaf = (unit: number) => ((unit >>> 8) & 1) === 1
const labelOf = (unit: number) => (unit & 0x800000ff) >>> 0
const offsetOf = (unit: number) => ((unit >>> 10) << ((unit & (1 << 9)) >>> 6)) >>> 0
