import { STATUS_CODES } from 'node:http'
import { hasContentLength, type Reply } from './reply.ts'

/** Longer than load balancers' and clients' own timeouts, so that they close idle connections first. */
export const keepAliveMs = 65_000

const kept = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${keepAliveMs / 1000}\r\n\r\n`
const closed = '\r\nConnection: close\r\n\r\n'

/**
 * Head and body in one buffer. Header values come from this server or a web `Response`, so they contain no line breaks.
 */
export function responseBytes(reply: Reply, isLast: boolean): Buffer {
  const { status, headers, body } = reply
  const length = Buffer.byteLength(body)
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`
  for (const name in headers) {
    const value = headers[name]!
    if (typeof value === 'string') head += `\r\n${name}: ${value}`
    else for (const one of value) head += `\r\n${name}: ${one}`
  }
  if (hasContentLength(reply)) head += `\r\ncontent-length: ${length}`
  head += `\r\nDate: ${dateNow()}${isLast ? closed : kept}`
  const bytes = Buffer.allocUnsafe(head.length + length)
  bytes.write(head, 'latin1')
  if (typeof body === 'string') bytes.write(body, head.length)
  else body.copy(bytes, head.length)
  return bytes
}

let second = 0
let date = ''

/** Cached for one second. */
function dateNow(): string {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) {
    second = now
    date = new Date(now * 1000).toUTCString()
  }
  return date
}
