import type { IncomingMessage, ServerResponse } from 'node:http'
import { toClient } from '../forward/live-headers.ts'
import { type Fields, fieldValue, spelt } from '../http1/fields.ts'
import { http2Response } from './http2/http2-messages.ts'

/**
 * Writes the upstream's head without sending it yet. If Node refuses to write a head that it could read, this throws
 * here rather than in the middle of a pipe, and `clientResponse` is left as it was. Node frames the body itself.
 */
export function writeResponseHead(
  response: Pick<IncomingMessage, 'statusCode' | 'statusMessage'>,
  fields: Fields,
  clientResponse: ServerResponse,
  connection: 'close' | 'keep-alive',
): void {
  const status = response.statusCode ?? 0
  if (status < 200) throw new Error(`${status} is no status of a final response`)
  const coding = fieldValue(fields, 'transfer-encoding')
  // Node decodes chunked only where it is the sole coding
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') throw new Error(`${coding} is no coding of ours`)
  const isHttp2 = http2Response(clientResponse) !== undefined
  try {
    clientResponse.sendDate = false
    for (const field of toClient(fields)) {
      const { name, value } = field
      if (name === 'transfer-encoding' || name === 'trailer') continue
      clientResponse.appendHeader(isHttp2 ? name : spelt(field), value)
    }
    if (!isHttp2) clientResponse.setHeader('Connection', connection)
    const message = response.statusMessage ?? ''
    if (isHttp2 || unsendable.test(message)) clientResponse.writeHead(status)
    else clientResponse.writeHead(status, message)
  } catch (error) {
    for (const name of clientResponse.getHeaderNames()) clientResponse.removeHeader(name)
    throw error
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones
const unsendable = /[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]/
