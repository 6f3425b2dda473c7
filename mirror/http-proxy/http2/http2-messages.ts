import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants, Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Fields } from '../../http1/fields.ts'
import { resetConnection } from '../../reset-connection.ts'

// Node's HTTP/2 server has message classes of its own, which do most of what those of `node:http` do.

export function http2Request(incoming: IncomingMessage): Http2ServerRequest | undefined {
  return incoming instanceof Http2ServerRequest ? incoming : undefined
}

export function http2Response(response: object): Http2ServerResponse | undefined {
  return response instanceof Http2ServerResponse ? response : undefined
}

/** Fields as HTTP/2 messages take them: each name once, with all of its values. */
export function byName(fields: Fields): Record<string, string[]> {
  const values: Record<string, string[]> = Object.create(null)
  for (const { name, value } of fields) {
    values[name] ??= []
    values[name].push(value)
  }
  return values
}

/** Ends an incomplete response so that the client does not take it for the whole: a reset, over HTTP/2 too. */
export function breakOff(response: ServerResponse): void {
  const stream = http2Response(response)?.stream
  if (stream) stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  // a pipelined response waiting for its turn has no socket to destroy yet
  else if (response.socket === null) response.req.socket.destroy()
  // where nothing else frames the body, a FIN would look like its regular end
  else if (response.headersSent && !isFramed(response)) resetConnection(response.socket)
  else response.destroy()
}

const isFramed = (response: ServerResponse) => response.chunkedEncoding || response.hasHeader('content-length')

/** Whether writes can no longer reach the client. */
export function isGone(response: ServerResponse): boolean {
  return http2Response(response)?.stream.destroyed ?? response.destroyed
}
