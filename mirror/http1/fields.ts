/** One field line of a message's head. */
export interface Field {
  /** In lower case. */
  name: string
  /** Without the white space around it. */
  value: string
  /** As it came, without its CRLF: names keep their case, and what passes through passes to the byte. */
  line: string
}

/** In the order they came in, repeated names included. */
export type Fields = readonly Field[]

/** All values of `name` (lower case) as one list, undefined where there is none (RFC 9110, 5.3). */
export function fieldValue(fields: Fields, name: string): string | undefined {
  let joined: string | undefined
  for (const field of fields) {
    if (field.name === name) joined = joined === undefined ? field.value : `${joined}, ${field.value}`
  }
  return joined
}

/** Whether a comma-separated list names `token` (lower case). */
export function hasToken(list: string | undefined, token: string): boolean {
  if (list === undefined) return false
  return list.length === token.length ? list.toLowerCase() === token : tokensOf(list).includes(token)
}

/**
 * A name as a server reads it that hands headers on as variables (RFC 3875, 4.1.18), as those for WSGI and CGI do: `-` and
 * `_` are one to it, so that what is taken out as `x-user` would come back as `x_user`.
 */
export const asVariable = (name: string): string => (name.includes('_') ? name.replaceAll('_', '-') : name)

const neverWithUnderscore = /^(content-length|transfer-encoding|x-forwarded-.*)$/

/** Where a message ends, and what we say of its client: with `_` for a `-` these are some client's own invention. */
export function isInvented(name: string): boolean {
  const read = asVariable(name)
  return read !== name && neverWithUnderscore.test(read)
}

/** The members of a comma-separated list, in lower case. */
export const tokensOf = (list: string): string[] =>
  list
    .split(',')
    .map((token) => withoutOws(token).toLowerCase())
    .filter((token) => token !== '')

const nothing: ReadonlySet<string> = new Set()

/** Which fields, in lower case, concern this connection alone (RFC 9110, 7.6.1). */
export function namedByConnection(fields: Fields): ReadonlySet<string> {
  const connection = fieldValue(fields, 'connection')
  return connection === undefined ? nothing : new Set(tokensOf(connection))
}

/**
 * Without spaces and tabs at either end; what else JavaScript takes for white space would be a smuggler's. No pattern: one
 * that looks for the end from each space of a run takes seconds for a head of them.
 */
function withoutOws(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isOws(text.charCodeAt(start))) start++
  while (end > start && isOws(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

const isOws = (code: number) => code === 0x20 || code === 0x09

export const field = (name: string, value: string): Field => ({
  name: name.toLowerCase(),
  value,
  line: `${name}: ${value}`,
})

/** From names and values in turn, as Node gives them. */
export function fieldsOf(raw: readonly string[]): Field[] {
  const fields: Field[] = []
  for (let i = 0; i + 1 < raw.length; i += 2) fields.push(field(raw[i]!, raw[i + 1]!))
  return fields
}

/** A whole head, with the empty line that ends it. */
export function headText(startLine: string, fields: Fields): string {
  let text = `${startLine}\r\n`
  for (const { line } of fields) text += `${line}\r\n`
  return `${text}\r\n`
}
