import { ApiError } from '../../runtime/api-error.ts'
import { shadowHeader } from '../../vocabulary/headers.ts'
import { MethodNotAllowed, serveError } from '../errors.ts'
import type { ServedModel } from '../model/served-model.ts'
import type { Turn } from '../model/turn.ts'
import { errorBody, type ProtocolName } from '../protocol/error-body.ts'
import { answerIndex, answerInfo } from './answer-info.ts'
import { compress } from './compress.ts'
import { findModel } from './find-model.ts'
import type { Front } from './front.ts'
import type { HttpRequest } from './http-request.ts'
import { infer, predict } from './predict.ts'
import { json, modelHeaders, type Reply, type RequestTimings, serverTiming } from './reply.ts'
import { matchRoute, protocolOf } from './route.ts'

/** Full queues and memory empty within moments, and a process that has ended is soon replaced. */
const retryAfterSeconds = '1'

/** What is known about a request when an error ends it. */
interface Progress {
  served: ServedModel | undefined
  timings: RequestTimings
}

/** The complete answer, including errors; it is also counted in the metrics. */
export async function replyTo(front: Front, request: HttpRequest): Promise<Reply> {
  const path = request.url.split('?', 1)[0]!
  const protocol = protocolOf(path)
  const progress: Progress = { served: undefined, timings: { queueMs: 0, preprocessMs: 0, batchMs: 0, inferMs: 0 } }
  let reply: Reply
  try {
    reply = await answer(front, path, request, progress)
  } catch (error) {
    reply = replyToError(front, protocol, error)
  }
  if (progress.served) {
    Object.assign(reply.headers, modelHeaders(progress.served), serverTiming(progress.timings))
  }
  front.onReply(protocol, progress.served?.name, reply.status)
  const { 'accept-encoding': acceptEncoding } = request.headers
  return acceptEncoding === undefined ? reply : compress(reply, acceptEncoding as string)
}

async function answer(front: Front, path: string, request: HttpRequest, progress: Progress): Promise<Reply> {
  const route = matchRoute(request.method, path, front.adapterPaths)
  if (route.kind === 'repositoryIndex') return answerIndex(front, await request.readBody())
  if (route.kind !== 'infer' && route.kind !== 'predict') return answerInfo(front, route)
  const target = findModel(front, route.model, route.version)
  progress.served = target.served
  // keeps a version that a reload replaces alive until it has answered
  const letGo = target.served.hold()
  try {
    const body = await request.readBody()
    const isOver = front.underWay.take()
    request.client.holdUntilOver(() => {
      isOver()
      letGo()
    })
    const call = { ...target, front, request, turn: turnOf(request, target.served), timings: progress.timings }
    return await (route.kind === 'infer' ? infer(call, body) : predict(call, body))
  } finally {
    letGo()
  }
}

const turnOf = ({ headers, client }: HttpRequest, { waitMsMax }: ServedModel): Turn => ({
  shadow: headers[shadowHeader] !== undefined,
  client,
  waitMsMax,
})

function replyToError(front: Front, protocol: ProtocolName, error: unknown): Reply {
  const known =
    error instanceof ApiError ? error : serveError('INTERNAL', 'internal error; the server’s log has the cause')
  // full queues and timeouts are counted instead: logging them would flood the log under load
  if (known.status === 500) front.logger.error({ err: error }, known.message)
  const reply = json(errorBody(protocol, known), known.status)
  if (known.status === 503) reply.headers['retry-after'] = retryAfterSeconds
  // required by RFC 9110, 15.5.6
  if (known instanceof MethodNotAllowed) reply.headers.allow = known.methods.join(', ')
  return reply
}
