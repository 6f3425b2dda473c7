import type { Milliseconds } from '../../vocabulary/units.ts'
import { type Fields, fieldValue, hasToken } from './fields.ts'
import { type Framing, responseFraming, withPlainCoding } from './framing.ts'
import { MalformedMessage, parseFields } from './parse-fields.ts'

export interface ResponseHead {
  status: number
  /** May be empty. */
  reason: string
  fields: Fields
  framing: Framing
  /** Whether the server will take another request on the connection. */
  isKeptAlive: boolean
  /** How long the server says it keeps an idle connection; undefined if it does not say. */
  idleMaxMs: Milliseconds | undefined
}

const statusLine = /^HTTP\/1\.(\d) (\d{3})(?: ([\t\x20-\x7e\x80-\xff]*))?$/

/** `text`: all before the empty line. Throws `MalformedMessage`. */
export function parseResponseHead(text: string, requestMethod: string): ResponseHead {
  const lines = text.split('\r\n')
  const line = statusLine.exec(lines[0]!)
  const status = Number(line?.[2])
  if (!line || status < 100) throw new MalformedMessage('no status line')
  const fields = withPlainCoding(parseFields(lines, 1, 'unfold'))
  const framing = responseFraming(status, requestMethod, fields)
  const connection = fieldValue(fields, 'connection')
  const isPersistent = line[1] === '0' ? hasToken(connection, 'keep-alive') : !hasToken(connection, 'close')
  const isKeptAlive = isPersistent && framing.kind !== 'untilClose'
  return {
    status,
    reason: line[3] ?? '',
    fields,
    framing,
    isKeptAlive,
    idleMaxMs: announcedIdleMs(fieldValue(fields, 'keep-alive')),
  }
}

/** Reads `Keep-Alive: timeout=5, max=100`, in seconds. It is in no standard, but many servers send it. */
export function announcedIdleMs(keepAlive: string | undefined): Milliseconds | undefined {
  const seconds = keepAlive === undefined ? undefined : /(?:^|[,\s])timeout\s*=\s*"?(\d+)/i.exec(keepAlive)?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}
