import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '../../runtime/api-error.ts'
import type { ServedModel } from '../model/served-model.ts'
import { errorBody, type ProtocolName, serveError } from '../protocol/errors.ts'
import { answerIndex, answerQuestion } from './answer-question.ts'
import { compress } from './compress.ts'
import { findModel } from './find-model.ts'
import type { Front } from './front.ts'
import { predict } from './predict.ts'
import { readBody } from './read-body.ts'
import { json, modelHeaders, type Reply, type RequestTimings, serverTiming } from './reply.ts'
import { matchRoute, protocolOf, type Route } from './route.ts'
import { send } from './send.ts'

/** What is known of a request when an error ends it. */
interface Progress {
  served: ServedModel | undefined
  timings: RequestTimings
}

export async function handleRequest(front: Front, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '/').split('?', 1)[0]!
  const protocol = protocolOf(path)
  const progress: Progress = { served: undefined, timings: { queueMs: 0, preprocessMs: 0, batchMs: 0, inferMs: 0 } }
  const hold = front.bodies.open()
  response.once('close', hold.release)
  const reply = await answer(front, path, request, response, progress, hold).catch((error: unknown) =>
    replyToError(front, protocol, error),
  )
  if (progress.served) {
    Object.assign(reply.headers, modelHeaders(progress.served), serverTiming(progress.timings))
  }
  const compressed = await compress(reply, request.headers['accept-encoding'] as string | undefined)
  hold.add(compressed.body.length)
  front.onReply(protocol, progress.served?.name, reply.status)
  send(request, response, compressed, front.limits.bodyTimeout)
}

async function answer(
  front: Front,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  progress: Progress,
  hold: ReturnType<Front['bodies']['open']>,
): Promise<Reply> {
  const route: Route = matchRoute(request.method ?? 'GET', path, front.adapterPaths)
  const { bodyMax: bytesMax, bodyTimeout: timeoutMs } = front.limits
  const read = () => readBody(request, { bytesMax, timeoutMs }, hold)
  if (route.kind === 'repositoryIndex') return answerIndex(front, await read())
  if (route.kind !== 'infer' && route.kind !== 'predict') return answerQuestion(front, route)
  const target = findModel(front, route.model, route.version)
  progress.served = target.served
  const gone = new AbortController()
  response.on('close', () => response.writableEnded || gone.abort())
  // a version that is replaced meanwhile still answers what it was asked
  const letGo = target.served.hold()
  try {
    return await predict(front, route.kind, target, request, await read(), gone.signal, progress.timings)
  } finally {
    letGo()
  }
}

function replyToError(front: Front, protocol: ProtocolName, error: unknown): Reply {
  const known = error instanceof ApiError ? error : serveError('INTERNAL', 'the server failed; its log says why')
  if (known.status >= 500 && known.status !== 503) front.logger.error({ err: error }, known.message)
  return json(errorBody(protocol, known), known.status)
}
