import type { IncomingMessage, ServerResponse } from 'node:http'
import { shadowHeader } from '../../vocabulary/headers.ts'
import { WaitingClient } from '../model/waiting-client.ts'
import type { Front } from './front.ts'
import { readBody } from './read-body.ts'
import { replyTo } from './reply-to.ts'
import { send } from './send.ts'

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

/** Clients that treat the server as a proxy send an absolute URL, which every server must accept (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  const whole = target.startsWith('/') ? undefined : URL.parse(target)
  return whole ? whole.pathname + whole.search : target
}
