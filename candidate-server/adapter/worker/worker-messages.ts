/** The messages between the front and an adapter's worker. */
import { inspect } from 'node:util'
import { ApiError } from '../../../runtime/api-error.ts'
import type { Tensors } from '../../tensor/tensor.ts'
import type { AdapterModel, UnreadRequest } from '../adapter.ts'
import { AdapterRefusal } from '../adapter-refusal.ts'
import type { ImageSetup } from '../image/image.ts'
import type { TextSetup } from '../text/text.ts'
import type { WireResponse } from '../worker-adapter.ts'

/** How to set up a worker; can be serialised as JSON. */
export type WorkerSetup = { model: AdapterModel } & (
  | { kind: 'module'; file: string }
  | ({ kind: 'image' } & ImageSetup)
  | ({ kind: 'text' } & TextSetup)
)

export type WireRequest = Omit<UnreadRequest, 'body'> & { body: Uint8Array }

export type ToWorker =
  | { kind: 'toTensors'; id: number; request: WireRequest; shadow: boolean }
  /** `request`: the id of its `toTensors` call. */
  | { kind: 'toResponse'; id: number; request: number; outputs: Tensors; shadow: boolean }
  /** Cancels the call if it has not started; otherwise it continues. */
  | { kind: 'withdraw'; call: number }
  | { kind: 'forget'; request: number }
  | { kind: 'ping' }

export type FromWorker =
  | { kind: 'loaded' }
  | { kind: 'unloadable'; message: string }
  | { kind: 'tensors'; id: number; tensors: Tensors }
  | { kind: 'response'; id: number; response: WireResponse }
  | { kind: 'failed'; id: number; error: WireError }
  | { kind: 'pong' }
  /** An uncaught error, after which the worker ends. */
  | { kind: 'broken'; reason: string }

interface WireError {
  status: number
  code: string
  message: string
  body: unknown
  /** Message and stack for the log, as text: properties of an error may not be serialisable. */
  cause: string | undefined
}

export function wireError(error: ApiError): WireError {
  const { status, code, message, cause } = error
  const body = error instanceof AdapterRefusal ? error.body : undefined
  return { status, code, message, body, cause: cause === undefined ? undefined : inspect(cause) }
}

export function errorOfWire({ status, code, message, body, cause }: WireError): ApiError {
  const error = body === undefined ? new ApiError(status, code, message) : new AdapterRefusal(status, message, body)
  if (cause !== undefined) error.cause = Object.assign(new Error(), { stack: cause })
  return error
}
