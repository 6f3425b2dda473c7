import { type Field, readField, readHead } from './read-head.ts'

export const oddHost = 'an odd host'
export const oddExpectation = 'an unknown expectation'

export interface Message {
  /** Method, target, version; or version, status, reason. */
  start: [string, string, string]
  fields: Field[]
  framing: 'none' | 'length' | 'chunked' | 'close'
  /** The part received so far. */
  body: Buffer
  trailers: Field[]
  /** Details that a recipient may either read this way or refuse. */
  doubts: string[]
}

/**
 * `partial`: more bytes are needed (always the case for a `close`-framed body). `bad`: must be refused, because of its
 * head (no `message`) or what follows it.
 */
export type Reading =
  | { kind: 'whole'; message: Message; end: number }
  | { kind: 'partial'; message?: Message }
  | { kind: 'bad'; why: string; message?: Message }

/** `responseTo`: method of the request that a response answers. */
export function readMessage(bytes: Buffer, from: number, of: 'request' | { responseTo: string }): Reading {
  const head = readHead(bytes, from, of === 'request' ? 'request' : 'response')
  if (head.kind !== 'read') return head
  const { start, fields, doubts } = head
  const message: Message = { start, fields, framing: 'none', body: Buffer.alloc(0), trailers: [], doubts }
  const framing = of === 'request' ? requestFraming(message) : responseFraming(message, of.responseTo)
  if (typeof framing === 'string') return { kind: 'bad', why: framing }
  message.framing = framing.kind
  switch (framing.kind) {
    case 'none':
      return { kind: 'whole', message, end: head.end }
    case 'length': {
      const end = head.end + framing.bytes
      message.body = bytes.subarray(head.end, end)
      return bytes.length >= end ? { kind: 'whole', message, end } : { kind: 'partial', message }
    }
    case 'close':
      message.body = bytes.subarray(head.end)
      return { kind: 'partial', message }
    case 'chunked':
      return readChunks(bytes, head.end, message)
  }
}

export const valuesOf = (fields: readonly Field[], name: string): string[] =>
  fields.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value)

export const tokensOf = (fields: readonly Field[], name: string): string[] =>
  valuesOf(fields, name)
    .flatMap((value) =>
      value
        .toLowerCase()
        .split(',')
        .map((item) => item.replace(/^[ \t]+|[ \t]+$/g, '')),
    )
    .filter(Boolean)

type Framing = { kind: 'none' | 'chunked' | 'close' } | { kind: 'length'; bytes: number }

function requestFraming(message: Message): Framing | string {
  const { fields, start, doubts } = message
  const hosts = valuesOf(fields, 'host')
  if (hosts.length > 1 || (hosts.length === 0 && start[2] !== 'HTTP/1.0')) return `${hosts.length} hosts`
  if (hosts[0] !== undefined && !/^[\w.:[\]-]*$/.test(hosts[0])) doubts.push(oddHost)
  if (valuesOf(fields, 'upgrade').length > 0) doubts.push('an upgrade')
  if (tokensOf(fields, 'expect').some((token) => token !== '100-continue')) doubts.push(oddExpectation)
  return declaredFraming(message) ?? { kind: 'none' }
}

function responseFraming(message: Message, method: string): Framing | string {
  const status = Number(message.start[1])
  const declared = declaredFraming(message)
  if (typeof declared === 'string') return declared
  if (status < 200 || status === 204 || status === 304 || method === 'HEAD') return { kind: 'none' }
  return declared ?? { kind: 'close' }
}

function declaredFraming({ fields, start, doubts }: Message): Framing | string | undefined {
  const lengths = valuesOf(fields, 'content-length')
  const hasCoding = valuesOf(fields, 'transfer-encoding').length > 0
  if (hasCoding) {
    if (lengths.length > 0) return 'both a length and a transfer coding'
    const codings = tokensOf(fields, 'transfer-encoding')
    const chunked = codings.filter((coding) => coding === 'chunked').length
    if (codings.at(-1) !== 'chunked' || chunked > 1) return `transfer-encoding: ${codings.join(', ')}`
    if (codings.length > 1) doubts.push('a transfer coding beside chunked')
    if (valuesOf(fields, 'transfer-encoding').length > 1) doubts.push('transfer-encoding twice')
    if (start.includes('HTTP/1.0')) doubts.push('chunks in HTTP/1.0')
    return { kind: 'chunked' }
  }
  if (lengths.length === 0) return undefined
  const numbers = lengths.flatMap((value) => value.split(',').map((item) => item.replace(/^[ \t]+|[ \t]+$/g, '')))
  if (numbers.some((number) => !/^\d+$/.test(number))) return `content-length: ${lengths.join(', ')}`
  if (new Set(numbers).size > 1) return 'conflicting lengths'
  if (numbers.length > 1) doubts.push('the same length twice')
  const bytes = Number(numbers[0])
  return Number.isSafeInteger(bytes) ? { kind: 'length', bytes } : `content-length: ${numbers[0]}`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not stand in a chunk's extension
const extension = /^[\t ]*;[^\x00-\x08\x0a-\x1f\x7f]*$/

const notInTrailers = new Set(['content-length', 'transfer-encoding', 'host', 'connection', 'trailer'])

/** RFC 9112, 7.1. Lines must end with CR LF: a line end that only one side recognises is an attack. */
function readChunks(bytes: Buffer, from: number, message: Message): Reading {
  const parts: Buffer[] = []
  const stop = (reading: { kind: 'partial' } | { kind: 'bad'; why: string }): Reading => {
    message.body = Buffer.concat(parts)
    return { ...reading, message }
  }
  let at = from
  const line = (): string | 'partial' | undefined => {
    const end = bytes.indexOf('\n', at)
    if (end < 0) return 'partial'
    if (bytes[end - 1] !== 0x0d || end === at) return undefined
    const text = bytes.toString('latin1', at, end - 1)
    at = end + 1
    return text
  }
  for (;;) {
    const head = line()
    if (head === 'partial') return stop({ kind: 'partial' })
    if (head === undefined) return stop({ kind: 'bad', why: 'a chunk line ends with a bare LF' })
    const size = /^[0-9A-Fa-f]+/.exec(head)?.[0]
    if (size === undefined) return stop({ kind: 'bad', why: `no chunk size: ${JSON.stringify(head.slice(0, 80))}` })
    const rest = head.slice(size.length)
    if (/^[\t ]/.test(rest)) message.doubts.push('blanks behind a chunk size')
    if (!/^[\t ]*$/.test(rest) && !extension.test(rest))
      return stop({ kind: 'bad', why: `a chunk line ends: ${JSON.stringify(rest)}` })
    const length = Number.parseInt(size, 16)
    if (!Number.isSafeInteger(length)) return stop({ kind: 'bad', why: `a chunk of ${size}` })
    if (length === 0) break
    parts.push(bytes.subarray(at, at + length))
    at += length
    if (bytes.length < at) return stop({ kind: 'partial' })
    if (bytes.length > at && bytes[at] !== 0x0d) return stop({ kind: 'bad', why: 'a chunk is longer than its size' })
    if (bytes.length < at + 2) return stop({ kind: 'partial' })
    if (bytes[at + 1] !== 0x0a) return stop({ kind: 'bad', why: 'a chunk ends with CR alone' })
    at += 2
  }
  for (;;) {
    const next = line()
    if (next === 'partial') return stop({ kind: 'partial' })
    if (next === undefined) return stop({ kind: 'bad', why: 'a trailer ends with a bare LF' })
    if (next === '') break
    const field = readField(next, message.doubts)
    if (typeof field === 'string') return stop({ kind: 'bad', why: field })
    if (notInTrailers.has(field[0].toLowerCase())) message.doubts.push('a trailer that belongs in a head')
    message.trailers.push(field)
  }
  message.body = Buffer.concat(parts)
  return { kind: 'whole', message, end: at }
}
