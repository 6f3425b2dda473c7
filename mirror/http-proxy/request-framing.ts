import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { methodsWithBody } from '../http1/framing.ts'
import { http2Request } from './http2/http2-messages.ts'

/**
 * Frames a request's body for the upstream as the client did, where http-proxy-3 and Node would not: an upstream would
 * read a body without a length as another request.
 */
export function restoreFraming(incoming: IncomingMessage): void {
  const overHttp2 = http2Request(incoming)
  if (overHttp2) frameHttp2(overHttp2)
  else restoreChunked(incoming)
}

/** http-proxy-3 sends a chunked DELETE or OPTIONS with `content-length: 0` and the body after it. */
function restoreChunked({ headers, rawHeaders }: IncomingMessage): void {
  if (!isNamed(rawHeaders, 'transfer-encoding') || headers['transfer-encoding'] !== undefined) return
  delete headers['content-length']
  headers['transfer-encoding'] = 'chunked'
}

/** An HTTP/2 body ends with its stream and needs no framing header. */
function frameHttp2({ headers, rawHeaders, stream, method }: Http2ServerRequest): void {
  if (isNamed(rawHeaders, 'content-length')) return
  delete headers['content-length']
  if (!stream.endAfterHeaders) headers['transfer-encoding'] = 'chunked'
  else if (methodsWithBody.has(method)) headers['content-length'] = '0'
}

const isNamed = (raw: readonly string[], name: string) =>
  raw.some((one, i) => i % 2 === 0 && one.toLowerCase() === name)
