import type { FastifyError, FastifyInstance } from 'fastify'
import { ApiError } from '../../runtime/api-error.ts'
import { type ErrorCode, failure } from '../jobs/errors.ts'
import { isNavigation, signInPage, signInPolicy } from './sign-in-page.ts'

const fastifyCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
}
/** PostgreSQL classes 08 (connection), 53 (resources), 57 (operator intervention), and what sockets say. */
const unavailable = /^(08|53|57)|^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND)/

/** Everything that goes wrong leaves as `{code, message, details}` with a code of the catalogue. */
export function answerErrors(app: FastifyInstance): void {
  app.setNotFoundHandler((request) => {
    throw failure('NOT_FOUND', `no ${request.method} ${request.url.split('?')[0]}`)
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const known = toApiError(error)
    if (known.status >= 500) request.log.error({ err: error, url: request.url }, known.message)
    reply.code(known.status)
    if (known.code !== 'UNAUTHENTICATED' || !isNavigation(request)) return reply.send(known.toBody())
    reply.type('text/html; charset=utf-8').header('content-security-policy', signInPolicy)
    return reply.header('vary', 'accept').send(signInPage(request))
  })
}

function toApiError(error: FastifyError): ApiError {
  if (error instanceof ApiError) return error
  if (error.validation) {
    return failure(
      'BAD_REQUEST',
      error.message,
      error.validation.map(({ instancePath, message }) => ({ path: instancePath, expected: message })),
    )
  }
  const code = fastifyCodes[error.code]
  if (code) return failure(code, error.message)
  if (error.statusCode !== undefined && error.statusCode < 500) return failure('BAD_REQUEST', error.message)
  if (unavailable.test(error.code ?? '') || /Connection terminated|timeout exceeded|is closed/.test(error.message)) {
    return failure('UNAVAILABLE', 'the database does not answer')
  }
  return failure('INTERNAL', 'something went wrong on our side; the log has the cause')
}
