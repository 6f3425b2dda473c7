import type { ClientRequest, ServerResponse } from 'node:http'
import { toClient } from '../forward/live-headers.ts'
import { fieldsOf, spelt } from '../http1/fields.ts'
import { byName, http2Response } from './http2/http2-messages.ts'

/** Passes the trailers of one side's message on to the other side's. */
export function addTrailers(message: ClientRequest | ServerResponse, raw: readonly string[]): void {
  if (raw.length === 0 || message.writableEnded) return
  const fields = toClient(fieldsOf(raw))
  if (http2Response(message)) message.addTrailers(byName(fields.filter(({ name }) => !unknown.has(name))))
  else message.addTrailers(fields.map((field): [string, string] => [spelt(field), field.value]))
}

/** HTTP/2 forbids these (RFC 9113, 8.2.2). Node accepts them here, then throws from an event when it sends them. */
const unknown = new Set(['transfer-encoding', 'http2-settings'])
