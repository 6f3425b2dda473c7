import { createServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Bytes } from '../../vocabulary/units.ts'
import type { Front } from './front.ts'
import { handleRequest } from './handle-request.ts'
import { keepAliveMs } from './response-bytes.ts'

/** Well over the 64 KiB that a mirror forwards, so that a candidate refuses no request that the primary answers. */
const headBytesMax: Bytes = 128 * 1024

/** Node's HTTP server, for connections that `quick-connection.ts` does not handle. */
export function createNodeServer(front: Front): Server {
  // limits.bodyTimeout applies to heads and bodies, and may exceed Node's limit of 5 minutes for both
  const limits = { maxHeaderSize: headBytesMax, connectionsCheckingInterval: 1_000, requestTimeout: 0 }
  /** The last response of each connection. */
  const responses = new WeakMap<Socket, ServerResponse>()
  const http = createServer(limits, (request, response) => {
    // required by RFC 9112, 3.2
    if ((request.headersDistinct.host ?? []).length > 1) {
      response.writeHead(400, { connection: 'close' }).end()
      return
    }
    responses.set(request.socket, response)
    handleRequest(front, request, response).catch((error: unknown) => {
      // an answer that cannot be written (an adapter's `Response.error()`, say) ends only its own connection
      front.logger.error({ err: error }, 'an answer could not be written')
      response.destroy()
    })
  })
  http.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket
    const response = responses.get(socket)
    // what came whole before is answered, and the connection ends with that
    if (response?.req.complete && !response.destroyed) response.shouldKeepAlive = false
    else refuse(socket, refusals[error.code!] ?? 400)
  })
  http.maxHeadersCount = 0 // the limit is in bytes; a limit on the count would drop further headers silently
  http.keepAliveTimeout = keepAliveMs
  http.headersTimeout = front.limits.bodyTimeout
  return http
}

/** Of what is no HTTP request, by Node's codes. */
const refusals: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
}

function refuse(socket: Socket, status: number): void {
  if (socket.writable) socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`)
  socket.destroySoon()
}
