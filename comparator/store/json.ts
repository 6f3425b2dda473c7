/** What JSON.stringify writes for U+0000 and for lone surrogates, behind any number of escaped backslashes. */
const unstorableEscape = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g

/** JSON that jsonb takes: PostgreSQL cannot hold U+0000 or half a surrogate pair, and a client may send either. */
export function toJson(value: unknown): string {
  return storableJson(JSON.stringify(value))
}

/** The same of text that is JSON already. */
export function storableJson(json: string): string {
  return json.includes('\\u') ? json.replace(unstorableEscape, '$1\uFFFD') : json
}

/** The same for text that is a key: what is looked up must be spelt as it was stored. */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD').toWellFormed()
}
