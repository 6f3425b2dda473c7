import { type RawBuilder, sql } from 'kysely'
import { storableJson, toJson } from './json.ts'

/**
 * Rows for an `insert`: the columns, and a query that returns them. `scalars` are columns with their types. `documents`
 * are columns of type jsonb; they are sent apart, because extracting them from one large document would cost the
 * database more than the insert itself.
 */
export function recordset<Row extends object>(
  rows: readonly Row[],
  scalars: Partial<Record<keyof Row & string, string>>,
  documents: readonly (keyof Row & string)[],
): { columns: RawBuilder<unknown>; select: RawBuilder<unknown> } {
  const typed = Object.entries(scalars) as [keyof Row & string, string][]
  const records = rows.map((row) => Object.fromEntries(typed.map(([name]) => [name, row[name]])))
  const columns = sql.join([...typed.map(([name]) => sql.ref(name)), ...documents.map((name) => sql.ref(name))])
  const values = [...typed.map(([name]) => sql.ref(name)), ...documents.map((name) => sql`${sql.ref(name)}::jsonb`)]
  const select = sql`
    select ${sql.join(values)} from rows from (
      json_to_recordset(${toJson(records)}::json) as (
        ${sql.join(typed.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`))}),
      ${sql.join(documents.map((name) => documentsIn(toDocuments(rows.map((row) => row[name])))))}
    ) as row (${columns})`
  return { columns, select }
}

/** Separates documents that are sent as one text. It cannot occur in a document, as JSON escapes it. */
const separator = '\u001e'

function toDocuments(values: readonly unknown[]): string {
  return storableJson(values.map((value) => (value == null ? '' : JSON.stringify(value))).join(separator))
}

/** Splits the text into documents again, NULL where there was none. */
const documentsIn = (texts: string) => sql`unnest(string_to_array(${texts}::text, ${separator}, ''))`
