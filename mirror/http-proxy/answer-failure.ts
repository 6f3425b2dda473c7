import type { ServerResponse } from 'node:http'
import { failureResponse } from '../forward/failure-response.ts'
import type { LiveEnd } from '../forward/live-watch.ts'
import { http2Response } from './http2-messages.ts'

export function answerFailure(response: ServerResponse, end: LiveEnd, connection: 'close' | 'keep-alive'): void {
  const { status, body } = failureResponse(end)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(!http2Response(response) && { connection }),
  })
  response.end(body)
}

/** To what is no request: a status, and the end of the connection, unless others have a part in it. */
export function answerRefusal(response: ServerResponse, status: number): void {
  response.writeHead(status, http2Response(response) ? {} : { connection: 'close' }).end()
}
