import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Bytes } from '../../vocabulary/units.ts'
import { toClient } from '../forward/live-headers.ts'
import { fieldsOf, spelt } from '../http1/fields.ts'
import { interimBytesMax } from '../http1/header-limits.ts'
import { byName, http2Response } from './http2/http2-messages.ts'

/**
 * Passes on every 1xx except 100, which Node itself sends to clients that ask for it. If the request `mayBePassedOn`,
 * none is passed, since the answer may come from another upstream.
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
    // HTTP/1.0 has no 1xx (RFC 9110, 15.2); on a pipelined connection it would land inside an earlier answer
    if (statusCode === 100 || mayBePassedOn || incoming.httpVersion === '1.0' || response.socket === null) return
    const fields = toClient(fieldsOf(rawHeaders)).filter(({ name }) => !framing.has(name))
    const inTurn = fields.flatMap((field) => [spelt(field), field.value])
    try {
      response.writeInformation(statusCode, http2Response(response) ? byName(fields) : inTurn)
    } catch {
      // Node refuses to write some of what it reads: that is left out, and the answer itself is still to come
    }
  })
}

/** The length of `HTTP/1.1 103 ` with the end of the head, and of `: ` or a line end. */
const startLineBytes: Bytes = 17
const separatorBytes: Bytes = 2

/** A 1xx has no body and must not describe one (RFC 9110, 8.6); an HTTP/2 client would end the stream. */
const framing = new Set(['content-length', 'transfer-encoding'])
