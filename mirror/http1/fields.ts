/** One field line of a message's head. */
export interface Field {
  /** In lower case. */
  name: string
  /** Without the white space around it. */
  value: string
  /**
   * The line as received, without CRLF. Names keep their case, and what is passed through stays identical to the byte.
   */
  line: string
}

/** In the order received, repeated names included. */
export type Fields = readonly Field[]

/** All values of `name` (lower case) joined into one list, undefined if there is none (RFC 9110, 5.3). */
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
 * A name as read by a server that turns headers into variables (RFC 3875, 4.1.18), such as WSGI and CGI servers: `-`
 * and `_` are the same there, so a removed `x-user` could come back as `x_user`.
 */
export const asVariable = (name: string): string => (name.includes('_') ? name.replaceAll('_', '-') : name)

const neverWithUnderscore = /^(content-length|transfer-encoding|x-forwarded-.*)$/

/** Framing fields and those that we set about the client: spelt with `_` for `-`, they were made up by a client. */
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

/** The fields (in lower case) that `connection` lists as concerning this connection alone (RFC 9110, 7.6.1). */
export function namedByConnection(fields: Fields): ReadonlySet<string> {
  const connection = fieldValue(fields, 'connection')
  return connection === undefined ? nothing : new Set(tokensOf(connection))
}

/**
 * Trims spaces and tabs only; JavaScript's wider notion of white space would let a smuggler in. Not a regular
 * expression: one that searches for the end from each space in a run takes seconds on a head full of spaces.
 */
function withoutOws(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isOws(text.charCodeAt(start))) start++
  while (end > start && isOws(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

const isOws = (code: number) => code === 0x20 || code === 0x09

/** The name as it was spelt. */
export const spelt = ({ name, line }: Field): string => line.slice(0, name.length)

export const field = (name: string, value: string): Field => ({
  name: name.toLowerCase(),
  value,
  line: `${name}: ${value}`,
})

/** Fields from Node's `rawHeaders`: names and values alternating. */
export function fieldsOf(raw: readonly string[]): Field[] {
  const fields: Field[] = []
  for (let i = 0; i + 1 < raw.length; i += 2) fields.push(field(raw[i]!, raw[i + 1]!))
  return fields
}

/** A whole head, including the empty line that ends it. */
export function headText(startLine: string, fields: Fields): string {
  let text = `${startLine}\r\n`
  for (const { line } of fields) text += `${line}\r\n`
  return `${text}\r\n`
}
