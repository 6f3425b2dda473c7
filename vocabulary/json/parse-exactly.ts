/** Finds integers in JSON with so many digits that a double may not hold them. */
const longInteger = /(?:^|[[:,\s])-?\d{16}/
/** 256 bits take 78 digits; much longer integers are slow to read and not ids. */
const integer = /^-?\d{16,100}$/

/**
 * `JSON.parse`, except that integers beyond 2⁵³ become whatever `keep` makes of their digits: as numbers, 64-bit ids
 * would lose their last digits. In documents nested too deeply for a reviver they stay numbers.
 */
export function parseExactly(text: string, keep: (digits: string) => unknown): unknown {
  if (!longInteger.test(text)) return JSON.parse(text)
  const isLong = (value: unknown, source: string) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && integer.test(source)
  try {
    // every Node release and browsers from 2025 on pass the source text of a value
    return JSON.parse(text, (_key, value, spelled?: { source: string }) =>
      spelled !== undefined && isLong(value, spelled.source) ? keep(spelled.source) : value,
    )
  } catch (error) {
    if (error instanceof RangeError) return JSON.parse(text)
    throw error
  }
}
