/** Where JSON has an integer of so many digits that a double may not hold it. */
const longInteger = /(?:^|[[:,\s])-?\d{16}/
/** 256 bits take 78 digits; what is much longer takes long to read, and is no id. */
const integer = /^-?\d{16,100}$/

/**
 * `JSON.parse`, but for integers beyond 2⁵³, which are what `keep` makes of their digits: as numbers, ids of 64 bits
 * lose their last ones. In a document that nests deeper than a reviver goes they are numbers, as ever.
 */
export function parseExactly(text: string, keep: (digits: string) => unknown): unknown {
  if (!longInteger.test(text)) return JSON.parse(text)
  const isLong = (value: unknown, source: string) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && integer.test(source)
  try {
    // how a value was spelled is told by every Node and by browsers of 2025 on
    return JSON.parse(text, (_key, value, spelled?: { source: string }) =>
      spelled !== undefined && isLong(value, spelled.source) ? keep(spelled.source) : value,
    )
  } catch (error) {
    if (error instanceof RangeError) return JSON.parse(text)
    throw error
  }
}
