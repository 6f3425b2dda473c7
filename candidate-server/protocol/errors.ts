import { ApiError } from '../../runtime/api-error.ts'

/** Everything this server may answer with instead of a prediction: code → HTTP status. */
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

export class MethodNotAllowed extends ApiError {
  readonly methods: readonly string[]

  constructor(method: string, path: string, methods: readonly string[]) {
    const message = `${path} takes ${methods.join(' or ')}, not ${method}`
    super(serveErrors.METHOD_NOT_ALLOWED, 'METHOD_NOT_ALLOWED', message)
    this.methods = methods
  }
}

/** Each protocol's own shape of an error. */
export type ProtocolName = 'openInference' | 'torchServe' | 'own'

export function errorBody(protocol: ProtocolName, error: ApiError): unknown {
  switch (protocol) {
    case 'openInference':
      return { error: error.message }
    case 'torchServe':
      return { code: error.status, type: torchServeTypes[error.code as ServeErrorCode], message: error.message }
    case 'own':
      return error.toBody()
  }
}

/** The exception names that TorchServe's own front answers with. */
const torchServeTypes: Record<ServeErrorCode, string> = {
  ROUTE_NOT_FOUND: 'ResourceNotFoundException',
  METHOD_NOT_ALLOWED: 'MethodNotAllowedException',
  MODEL_NOT_FOUND: 'ModelNotFoundException',
  VERSION_NOT_FOUND: 'ModelVersionNotFoundException',
  BAD_JSON: 'BadRequestException',
  BAD_INPUT: 'BadRequestException',
  BODY_TOO_LARGE: 'RequestEntityTooLargeException',
  BODY_TOO_SLOW: 'RequestTimeoutException',
  BODIES_FULL: 'ServiceUnavailableException',
  UNSUPPORTED_ENCODING: 'BadRequestException',
  QUEUE_FULL: 'ServiceUnavailableException',
  QUEUE_TIMEOUT: 'ServiceUnavailableException',
  CLIENT_GONE: 'BadRequestException',
  INSTANCE_LOST: 'ServiceUnavailableException',
  STOPPING: 'ServiceUnavailableException',
  MODEL_NOT_READY: 'ServiceUnavailableException',
  MODEL_FAILED: 'InternalServerException',
  ADAPTER_FAILED: 'InternalServerException',
  INTERNAL: 'InternalServerException',
}
