import type { ClientRequest, ServerResponse } from 'node:http'
import { toClient } from '../forward/live-headers.ts'
import { fieldsOf } from '../http1/fields.ts'
import { http2Response } from './http2-messages.ts'

/** Those of either side's message to the other's. */
export function addTrailers(message: ClientRequest | ServerResponse, raw: readonly string[]): void {
  if (raw.length === 0 || message.writableEnded) return
  const trailers = toClient(fieldsOf(raw)).map(({ name, value, line }) => [line.slice(0, name.length), value])
  message.addTrailers(http2Response(message) ? Object.fromEntries(trailers) : trailers)
}
