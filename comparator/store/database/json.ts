/** The escapes that JSON.stringify writes for U+0000 and lone surrogates, after any number of escaped backslashes. */
const unstorableEscape = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g

/** JSON that jsonb accepts. PostgreSQL cannot store U+0000 or a lone surrogate, so both become U+FFFD. */
export function toJson(value: unknown): string {
  return storableJson(JSON.stringify(value))
}

/** The same for text that is JSON already. */
export function storableJson(json: string): string {
  return json.includes('\\u') ? json.replace(unstorableEscape, '$1\uFFFD') : json
}

/** The same for plain text, such as keys, which must be looked up as they were stored. */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD').toWellFormed()
}
