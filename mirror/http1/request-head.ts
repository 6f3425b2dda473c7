import { type Field, type Fields, field, fieldValue, hasToken } from './fields.ts'
import { type Framing, requestFraming, withPlainCoding } from './framing.ts'
import { MalformedMessage, parseFields } from './parse-fields.ts'

export interface RequestHead {
  method: string
  /** A path with its query, or `*`. */
  target: string
  /** The x of HTTP/1.x. */
  minorVersion: 0 | 1
  fields: Fields
  framing: Framing
  /** Whether the client may use the connection again. */
  isKeptAlive: boolean
}

const requestLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([\x21-\x7e\x80-\xff]+) HTTP\/(\d)\.(\d)$/
const absoluteForm = /^https?:\/\/([^/?#]*)([^#]*)/i
/** Host may be empty, and must be neither a list nor contain user information. */
const hostForm = /^[^\s/?#@,\\]*$/

export const otherVersion = () => new MalformedMessage('an HTTP version other than 1.x', 505)

/** `text`: all before the empty line. Throws `MalformedMessage` where RFC 9112 tells servers to refuse. */
export function parseRequestHead(text: string): RequestHead {
  const lines = text.split('\r\n')
  const line = requestLine.exec(lines[0]!)
  if (!line) throw new MalformedMessage('no request line')
  const [, method, target, major, minor] = line as unknown as [string, string, string, string, string]
  if (major !== '1') throw otherVersion()
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
  if (minorVersion === 1 && !fields.some(({ name }) => name === 'host')) throw new MalformedMessage('no Host')
  return inOriginForm(head)
}

/**
 * Reduces an absolute URL, sent by a client that takes us for a forward proxy, to its path and query as written; its
 * host replaces Host (RFC 9112, 3.2.2). Throws `MalformedMessage` on any other target that is not a path, and on a Host
 * that is invalid or repeated. User information in either may be meant to mislead (RFC 9110, 4.2.4) and is refused.
 */
export function inOriginForm<Head extends Pick<RequestHead, 'method' | 'target' | 'fields'>>(head: Head): Head {
  const { method, target, fields } = head
  const hosts = fields.filter(({ name }) => name === 'host')
  if (hosts.length > 1) throw new MalformedMessage('several Hosts')
  if (hosts[0] && !hostForm.test(hosts[0].value)) throw new MalformedMessage('a bad Host')
  if (target.startsWith('/') || (target === '*' && method === 'OPTIONS') || method === 'CONNECT') return head
  const [, host, rest] = absoluteForm.exec(target) ?? []
  if (!host || !hostForm.test(host)) throw new MalformedMessage('a bad request target')
  const path = rest!.startsWith('/') ? rest! : rest === '' && method === 'OPTIONS' ? '*' : `/${rest}`
  return { ...head, target: path, fields: withHost(fields, host) }
}

export function withHost(fields: Fields, host: string): Field[] {
  const others = fields.filter(({ name }) => name !== 'host')
  const own = fields.find(({ name }) => name === 'host')
  return own?.value === host ? [...fields] : [field('Host', host), ...others]
}
