import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { type Reply, saysLength } from './reply.ts'

/** How long a client may go on sending what will not be read, so that it gets to read the answer. */
export const lingerMs = 1_000

/** A client that has not taken the answer within `timeoutMs` is cut off: it would hold its memory for ever. */
export function send(request: IncomingMessage, response: ServerResponse, reply: Reply, timeoutMs: Milliseconds): void {
  if (response.destroyed || response.headersSent) return
  const taken = setTimeout(() => response.destroy(), timeoutMs)
  response.once('close', () => clearTimeout(taken))
  const { status, headers, body } = reply
  const length = saysLength(reply) && { 'content-length': Buffer.byteLength(body) }
  if (request.complete) {
    response.writeHead(status, { ...headers, ...length })
    response.end(body)
    return
  }
  // what is left of the body would be taken for the next request, and a close before it is read would reset the
  // connection, the answer with it
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
