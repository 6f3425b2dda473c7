import type { IncomingMessage, ServerResponse } from 'node:http'
import { shadowHeader } from '../../vocabulary/headers.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { WaitingClient } from '../model/waiting-client.ts'
import type { Front } from './front.ts'
import { readBody } from './read-body.ts'
import { hasContentLength, type Reply } from './reply.ts'
import { replyTo } from './reply-to.ts'

/** How long a client may keep sending an unread body, so that it can still receive the answer. */
export const lingerMs = 1_000

/** Answers one request that arrived through Node's HTTP server; `quick-connection.ts` answers plain ones itself. */
export async function handleRequest(front: Front, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const hold = front.bodies.open(request.headers[shadowHeader] !== undefined)
  const client = new WaitingClient()
  let isAtWork = true
  response.once('close', () => {
    client.leave()
    // a request that is still being processed still occupies memory
    if (!isAtWork) hold.release()
  })
  const { bodyMax: bytesMax, bodyTimeout: timeoutMs } = front.limits
  try {
    const reply = await replyTo(front, {
      method: request.method ?? 'GET',
      url: originForm(request.url ?? '/'),
      headers: request.headers,
      readBody: () => readBody(request, { bytesMax, timeoutMs }, hold),
      client,
      hold,
    })
    hold.add(reply.body.length)
    if (front.isStopping()) response.shouldKeepAlive = false
    send(request, response, reply, timeoutMs)
  } finally {
    isAtWork = false
    if (client.isGone) hold.release()
  }
}

/** A client that does not read the answer within `timeoutMs` is cut off, or it would hold the memory for ever. */
function send(request: IncomingMessage, response: ServerResponse, reply: Reply, timeoutMs: Milliseconds): void {
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

/** Clients that treat the server as a proxy send an absolute URL, which every server must accept (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  const whole = target.startsWith('/') ? undefined : URL.parse(target)
  return whole ? whole.pathname + whole.search : target
}
