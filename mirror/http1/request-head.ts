import { type Field, type Fields, field, fieldValue, hasToken } from './fields.ts'
import { type Framing, requestFraming, withPlainCoding } from './framing.ts'
import { MalformedMessage, parseFields } from './parse-fields.ts'

export interface RequestHead {
  method: string
  /** A path with its query, or `*`. */
  target: string
  /** Of HTTP/1. */
  minorVersion: 0 | 1
  fields: Fields
  framing: Framing
  /** Whether the client will use the connection again. */
  isKeptAlive: boolean
}

const requestLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([\x21-\x7e\x80-\xff]+) HTTP\/(\d)\.(\d)$/
const absoluteForm = /^https?:\/\/([^/?#]*)([^#]*)/i
/** Host may be empty; user information has no place in it, nor has a list. */
const hostForm = /^[^\s/?#@,\\]*$/

/** `text`: all before the empty line. Throws `MalformedMessage` as RFC 9112 asks servers to refuse. */
export function parseRequestHead(text: string): RequestHead {
  const lines = text.split('\r\n')
  const line = requestLine.exec(lines[0]!)
  if (!line) throw new MalformedMessage('no request line')
  const [, method, target, major, minor] = line as unknown as [string, string, string, string, string]
  if (major !== '1') throw new MalformedMessage('an HTTP version other than 1.x', 505)
  const minorVersion = minor === '0' ? 0 : 1
  const fields = withPlainCoding(parseFields(lines, 1, 'refuse'))
  const connection = fieldValue(fields, 'connection')
  const head: RequestHead = {
    method,
    target,
    minorVersion,
    fields,
    framing: requestFraming(fields),
    isKeptAlive: minorVersion === 1 ? !hasToken(connection, 'close') : hasToken(connection, 'keep-alive'),
  }
  if (minorVersion === 0 && head.framing.kind === 'chunked') throw new MalformedMessage('chunked in HTTP/1.0')
  checkHost(head)
  return inOriginForm(head)
}

function checkHost({ fields, minorVersion }: RequestHead): void {
  const hosts = fields.filter(({ name }) => name === 'host')
  if (hosts.length > 1 || (hosts.length === 0 && minorVersion === 1)) throw new MalformedMessage('not exactly one Host')
  if (hosts[0] && !hostForm.test(hosts[0].value)) throw new MalformedMessage('a bad Host')
}

/** A client that takes us for a forward proxy names the whole URL, whose host then counts (RFC 9112, 3.2.2). */
function inOriginForm(head: RequestHead): RequestHead {
  const { method, target } = head
  if (target.startsWith('/') || (target === '*' && method === 'OPTIONS') || method === 'CONNECT') return head
  const absolute = absoluteForm.exec(target)
  if (!absolute || absolute[1] === '' || !hostForm.test(absolute[1]!))
    throw new MalformedMessage('a bad request target')
  const path = absolute[2]!
  return {
    ...head,
    target: path.startsWith('/') ? path : path === '' && method === 'OPTIONS' ? '*' : `/${path}`,
    fields: withHost(head.fields, absolute[1]!),
  }
}

export function withHost(fields: Fields, host: string): Field[] {
  const others = fields.filter(({ name }) => name !== 'host')
  const own = fields.find(({ name }) => name === 'host')
  return own?.value === host ? [...fields] : [field('Host', host), ...others]
}
