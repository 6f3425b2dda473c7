import { createServer, type Server } from 'node:http'
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
  const http = createServer(limits, (request, response) => {
    handleRequest(front, request, response).catch((error: unknown) => {
      // an answer that cannot be written (an adapter's `Response.error()`, say) ends only its own connection
      front.logger.error({ err: error }, 'an answer could not be written')
      response.destroy()
    })
  })
  http.maxHeadersCount = 0 // the limit is in bytes; a limit on the count would drop further headers silently
  http.keepAliveTimeout = keepAliveMs
  http.headersTimeout = front.limits.bodyTimeout
  return http
}
