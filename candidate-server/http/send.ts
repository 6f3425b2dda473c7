import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { hasContentLength, type Reply } from './reply.ts'

/** How long a client may keep sending an unread body, so that it can still receive the answer. */
export const lingerMs = 1_000

/** A client that does not read the answer within `timeoutMs` is cut off, or it would hold the memory for ever. */
export function send(request: IncomingMessage, response: ServerResponse, reply: Reply, timeoutMs: Milliseconds): void {
  if (response.destroyed || response.headersSent) return
  const taken = setTimeout(() => response.destroy(), timeoutMs)
  response.once('close', () => clearTimeout(taken))
  const { status, headers, body } = reply
  const length = hasContentLength(reply) && { 'content-length': Buffer.byteLength(body) }
  if (request.complete) {
    response.writeHead(status, { ...headers, ...length })
    response.end(body)
    return
  }
  // the rest of the body would be taken for the next request, and closing before it is read would reset the connection
  // and lose the answer
  response.writeHead(status, { ...headers, ...length, connection: 'close' })
  response.write(body)
  const end = () => {
    clearTimeout(linger)
    response.end()
  }
  const linger = setTimeout(end, lingerMs)
  request.once('end', end)
  request.once('close', end)
  request.resume()
}
