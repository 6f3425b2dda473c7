import { sql } from 'kysely'

/** What JSON.stringify writes for U+0000 and for lone surrogates, behind any number of escaped backslashes. */
const unstorableEscape = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g

/** JSON that jsonb takes: PostgreSQL cannot hold U+0000 or half a surrogate pair, and a client may send either. */
export function toJson(value: unknown): string {
  return storableJson(JSON.stringify(value))
}

/** What stands between documents that are sent as one text: JSON escapes it wherever it could stand in one. */
const separator = '\u001e'
/** How the database takes them apart again: as texts, NULL where there was no document. */
export const documentsIn = (texts: string) => sql`unnest(string_to_array(${texts}::text, ${separator}, ''))`

/** Many documents as one text: the database reads them faster so than as parts of one large document. */
export function toDocuments(values: readonly unknown[]): string {
  return storableJson(values.map((value) => (value == null ? '' : JSON.stringify(value))).join(separator))
}

function storableJson(json: string): string {
  return json.includes('\\u') ? json.replace(unstorableEscape, '$1\uFFFD') : json
}

/** The same for text that is a key: what is looked up must be spelt as it was stored. */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD').toWellFormed()
}
