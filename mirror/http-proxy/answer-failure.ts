import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { failureResponse } from '../forward/failure-response.ts'
import type { WholeAnswer } from '../forward/set-aside.ts'
import type { LiveEnd } from '../live/live-watch.ts'
import { http2Response } from './http2/http2-messages.ts'
import { writeResponseHead } from './write-response-head.ts'

const lingerMs: Milliseconds = 2000

/** Sends `answer` if there is one that Node can write, else our own failure response. */
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
 * Answers something that is not a request with a status, and closes the connection unless it is HTTP/2, where other
 * streams share it. Node destroys the connection when the answer ends, and bytes still arriving would then reset it
 * before the client reads the answer. So the answer is sent whole at once, and ends when the request has ended or
 * `lingerMs` later.
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
