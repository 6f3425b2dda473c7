import type { ApiError } from '../../runtime/api-error.ts'
import type { ServeErrorCode } from '../errors.ts'

export type ProtocolName = 'openInference' | 'torchServe' | 'own'

/** Renders an error in each protocol's own format. */
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

/** The exception names that TorchServe's own frontend uses. */
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
