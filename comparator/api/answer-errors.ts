import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../runtime/api-error.ts'
import { type ErrorCode, failure } from '../jobs/errors.ts'
import { isConnectionError } from '../store/database/connection-error.ts'
import { isUndone } from '../store/database/in-transaction.ts'
import { isNavigation, signInPage, signInPolicy } from './sign-in/sign-in-page.ts'

const fastifyCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
}
/** PostgreSQL's classes 53 (resources) and 57 (operator intervention). */
const busy = /^(53|57)/
/** Of every 503. A failover or a restart may take longer, but asking once a second costs little. */
const retryAfterSeconds = '1'

/** Answers every error as `{code, message, details}`, with a code of the catalogue. */
export function answerErrors(app: FastifyInstance): void {
  app.setNotFoundHandler((request) => {
    throw notFound(request)
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const known = toApiError(error, request)
    if (known.status >= 500) request.log.error({ err: error, url: request.url }, known.message)
    reply.code(known.status)
    if (known.status === 503) reply.header('retry-after', retryAfterSeconds)
    // RFC 9110 asks every 401 to name the scheme
    if (known.status === 401) reply.header('www-authenticate', 'Bearer')
    if (known.code !== 'UNAUTHENTICATED' || !isNavigation(request)) return reply.send(known.toBody())
    reply.type('text/html; charset=utf-8').header('content-security-policy', signInPolicy)
    return reply.header('vary', 'accept').send(signInPage(request))
  })
}

/** Answers a path that cannot be parsed, such as one with a bare %: it reaches no route, nor the handlers above. */
export function answerUnroutable(error: Error, _request: unknown, reply: Pick<FastifyReply, 'code'>): void {
  const known = failure('BAD_REQUEST', error.message)
  reply.code(known.status).send(known.toBody())
}

const notFound = ({ method, url }: FastifyRequest) => failure('NOT_FOUND', `no ${method} ${url.split('?')[0]}`)

function toApiError(error: FastifyError, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  const code = fastifyCodes[error.code]
  if (code === 'UNSUPPORTED_MEDIA_TYPE') {
    const given = request.headers['content-type'] || 'none'
    return failure(code, `content-type: expected application/json, or to deliver application/x-msgpack; got ${given}`)
  }
  if (code) return failure(code, `the body: expected at most ${request.routeOptions.bodyLimit} bytes`)
  if (error.code === 'FST_ERR_CTP_INVALID_JSON_BODY') {
    const expected = 'JSON, as its content-type says, without keys such as __proto__'
    return failure('BAD_REQUEST', `the body: expected ${expected}`, [{ in: 'body', path: '', expected }])
  }
  // from the plugin that serves the dashboard's files, for a path such as //v1
  if (error.statusCode === 403) return notFound(request)
  if (error.statusCode !== undefined && error.statusCode < 500) return failure('BAD_REQUEST', error.message)
  if (isConnectionError(error) || busy.test(error.code ?? '')) {
    return failure('UNAVAILABLE', 'the database does not answer')
  }
  if (isUndone(error)) return failure('UNAVAILABLE', 'the database gave way to other transactions; try again')
  return failure('INTERNAL', 'internal error; the log has the cause')
}
