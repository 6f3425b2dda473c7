/** One header field or trailer as it was on the wire. */
export type Field = [name: string, value: string]

/** `doubts`: details that a recipient may either read this way or refuse. */
export type Head =
  | { kind: 'read'; start: [string, string, string]; fields: Field[]; doubts: string[]; end: number }
  | { kind: 'partial' }
  | { kind: 'bad'; why: string }

export const oddMethod = 'an unknown method'
export const oddTarget = 'a character in the target'

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const poison = /[\0\r\n]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: nor should these
const control = /[\x01-\x08\x0b-\x1f\x7f]/

/**
 * Parses a head according to RFC 9112 (2 to 5) without any of Node's parsers, as the reference for the mirror's
 * behaviour. `bad` must be refused.
 */
export function readHead(bytes: Buffer, from: number, of: 'request' | 'response'): Head {
  const doubts: string[] = []
  let at = from
  const text = bytes.toString('latin1', from)
  const line = (): string | undefined => {
    const end = text.indexOf('\n', at - from)
    if (end < 0) return undefined
    const raw = text.slice(at - from, end)
    at = from + end + 1
    if (raw.endsWith('\r')) return raw.slice(0, -1)
    doubts.push('a line ends with a bare LF')
    return raw
  }
  let first = line()
  while (first === '' && of === 'request') {
    doubts.push('an empty line before the request line')
    first = line()
  }
  if (first === undefined) return { kind: 'partial' }
  const start = of === 'request' ? requestLine(first, doubts) : statusLine(first)
  if (!start) return { kind: 'bad', why: `no start line: ${JSON.stringify(first.slice(0, 80))}` }

  const fields: Field[] = []
  for (;;) {
    const next = line()
    if (next === undefined) return { kind: 'partial' }
    if (next === '') return { kind: 'read', start, fields, doubts, end: at }
    const field = readField(next, doubts)
    if (typeof field === 'string') return { kind: 'bad', why: field }
    fields.push(field)
  }
}

/** A field, or what is wrong with it. */
export function readField(line: string, doubts: string[]): Field | string {
  if (/^[ \t]/.test(line)) return 'a folded line'
  const colon = line.indexOf(':')
  if (colon < 0) return `no colon in ${JSON.stringify(line.slice(0, 80))}`
  const name = line.slice(0, colon)
  const value = line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '')
  if (!token.test(name)) return `no field name: ${JSON.stringify(name.slice(0, 80))}`
  if (poison.test(value)) return `CR or NUL in ${name}`
  if (control.test(value)) doubts.push(`a control character in ${name}`)
  return [name, value]
}

function requestLine(line: string, doubts: string[]): [string, string, string] | undefined {
  const match = /^([^ ]+) ([^ ]+) (HTTP\/\d\.\d)$/.exec(line)
  if (!match) return undefined
  const [, method, target, version] = match as unknown as [string, string, string, string]
  if (!token.test(method) || poison.test(target)) return undefined
  if (!methods.has(method)) doubts.push(oddMethod)
  if (/[^\x21-\x7e]|["<>\\^`{|}#]/.test(target)) doubts.push(oddTarget)
  if (!/^(\/|http:\/\/)/.test(target)) doubts.push('a target that is no path')
  if (/^http:\/\/[^/?]*[^\w.:[\]/?-]/.test(target)) doubts.push('an odd host in the target')
  if (!version.startsWith('HTTP/1.')) return undefined
  if (version !== 'HTTP/1.1' && version !== 'HTTP/1.0') doubts.push('an unknown version')
  return [method, target, version]
}

function statusLine(line: string): [string, string, string] | undefined {
  const match = /^(HTTP\/1\.\d) (\d{3}) ([\t\x20-\x7e\x80-\xff]*)$/.exec(line)
  return match ? [match[1]!, match[2]!, match[3]!] : undefined
}

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])
