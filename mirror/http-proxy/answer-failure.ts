import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { failureResponse } from '../forward/failure-response.ts'
import type { LiveEnd } from '../forward/live-watch.ts'
import type { WholeAnswer } from '../forward/set-aside.ts'
import { http2Response } from './http2/http2-messages.ts'
import { writeResponseHead } from './write-response-head.ts'

const lingerMs: Milliseconds = 2000

/** With `answer`, where there is one and Node writes it. */
export function answerFailure(
  response: ServerResponse,
  end: LiveEnd,
  answer: WholeAnswer | undefined,
  connection: 'close' | 'keep-alive',
): void {
  const failure = failureResponse(end)
  try {
    answerWhole(response, answer ?? failure, connection)
  } catch {
    answerWhole(response, failure, connection)
  }
}

function answerWhole(response: ServerResponse, answer: WholeAnswer, connection: 'close' | 'keep-alive'): void {
  const { status, reason, fields, body } = answer
  writeResponseHead({ statusCode: status, statusMessage: reason }, fields, response, connection)
  response.end(body)
}

/**
 * To what is no request: a status, and the end of the connection, unless others have a part in it. Node destroys that
 * with the end of the answer, and what the client still sends would reset it before the answer is read: so it is whole at
 * once, and ends when the request has, or a moment later.
 */
export function answerRefusal(incoming: IncomingMessage, response: ServerResponse, status: number): void {
  incoming.resume()
  if (http2Response(response)) {
    response.writeHead(status).end()
    return
  }
  response.writeHead(status, { connection: 'close', 'content-length': 0 }).flushHeaders()
  const end = () => response.end()
  incoming.once('end', end)
  setTimeout(end, lingerMs).unref()
}
