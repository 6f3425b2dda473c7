import { ApiError } from '../runtime/api-error.ts'

/** Every error this server may answer with: code → HTTP status. */
export const serveErrors = {
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  MODEL_NOT_FOUND: 404,
  VERSION_NOT_FOUND: 404,
  BAD_JSON: 400,
  BAD_INPUT: 400,
  BODY_TOO_LARGE: 413,
  BODY_TOO_SLOW: 408,
  BODIES_FULL: 503,
  UNSUPPORTED_ENCODING: 415,
  QUEUE_FULL: 503,
  QUEUE_TIMEOUT: 504,
  CLIENT_GONE: 499,
  INSTANCE_LOST: 503,
  STOPPING: 503,
  MODEL_NOT_READY: 503,
  MODEL_FAILED: 500,
  ADAPTER_FAILED: 500,
  INTERNAL: 500,
} as const
export type ServeErrorCode = keyof typeof serveErrors

export const serveError = (code: ServeErrorCode, message: string) => new ApiError(serveErrors[code], code, message)

export const badInput = (message: string) => serveError('BAD_INPUT', message)

export const clientGone = () => serveError('CLIENT_GONE', 'the client closed the connection')

export const stopping = () => serveError('STOPPING', 'the server is stopping')
/** For requests to one version, which does not know whether another replaces it. */
export const versionEnding = () =>
  serveError('STOPPING', 'this version of the model is ending: it is replaced, or the server is stopping; try again')

export class MethodNotAllowed extends ApiError {
  readonly methods: readonly string[]

  constructor(method: string, path: string, methods: readonly string[]) {
    const message = `${path} takes ${methods.join(' or ')}, not ${method}`
    super(serveErrors.METHOD_NOT_ALLOWED, 'METHOD_NOT_ALLOWED', message)
    this.methods = methods
  }
}
