import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Bytes } from '../../vocabulary/units.ts'
import { toClient } from '../forward/live-headers.ts'
import { type Field, fieldsOf } from '../http1/fields.ts'
import { interimBytesMax } from '../http1/header-limits.ts'
import { byName, http2Response } from './http2/http2-messages.ts'

/**
 * Every 1xx but 100: Node has said that by itself to who asked for it. None where `mayBePassedOn`, since the answer may be
 * another's.
 */
export function passInformation(
  proxyRequest: ClientRequest,
  incoming: IncomingMessage,
  response: ServerResponse,
  mayBePassedOn: boolean,
): void {
  let bytes: Bytes = 0
  proxyRequest.on('information', ({ statusCode, statusMessage, rawHeaders }) => {
    bytes += startLineBytes + statusMessage.length
    for (const text of rawHeaders) bytes += text.length + separatorBytes
    if (bytes > interimBytesMax) {
      proxyRequest.destroy(new Error('more 1xx than an answer needs'))
      return
    }
    // HTTP/1.0 knows none (RFC 9110, 15.2); behind another answer of the same client it would land within its own
    if (statusCode === 100 || mayBePassedOn || incoming.httpVersion === '1.0' || response.socket === null) return
    const fields = toClient(fieldsOf(rawHeaders)).filter(({ name }) => !framing.has(name))
    try {
      response.writeInformation(statusCode, http2Response(response) ? byName(fields) : inTurn(fields))
    } catch {
      // what Node reads and refuses to write is left out: the answer itself is still to come
    }
  })
}

/** `HTTP/1.1 103 `, with the end of the head; and `: ` or the end of a line. */
const startLineBytes: Bytes = 17
const separatorBytes: Bytes = 2

/** It has no body, and says nothing of another's (RFC 9110, 8.6); a client of HTTP/2 would end the stream. */
const framing = new Set(['content-length', 'transfer-encoding'])

const inTurn = (fields: readonly Field[]) =>
  fields.flatMap(({ name, value, line }) => [line.slice(0, name.length), value])
