/** What the front and an adapter's thread say to each other. */
import { ApiError } from '../../runtime/api-error.ts'
import type { NumericArray, Tensors } from '../model/tensor.ts'
import type { Adapter, AdapterModel, AdapterRequest } from './adapter.ts'
import { AdapterRefusal } from './adapter-refusal.ts'
import type { ImageSetup } from './image.ts'
import type { TextSetup } from './text.ts'

/** What the thread is started with. */
export type ThreadSetup = { model: AdapterModel } & (
  | { kind: 'module'; file: string }
  | ({ kind: 'image' } & ImageSetup)
  | ({ kind: 'text' } & TextSetup)
)

export type WireRequest = Omit<AdapterRequest, 'json' | 'body'> & { body: Uint8Array }
export interface WireResponse {
  status: number
  headers: [string, string][]
  body: Uint8Array<ArrayBuffer> | string | null
}

/** An adapter as it is inside the thread. `toResponse` is left out where the front does it. */
export interface ThreadAdapter extends Pick<Adapter, 'toTensors'> {
  toResponse?(outputs: Tensors, model: AdapterModel): Promise<WireResponse>
}

export type ToThread =
  | { kind: 'toTensors'; id: number; request: WireRequest }
  | { kind: 'toResponse'; id: number; outputs: Tensors }
  | { kind: 'ping' }

export type FromThread =
  | { kind: 'loaded' }
  | { kind: 'unloadable'; message: string }
  | { kind: 'tensors'; id: number; tensors: Tensors }
  | { kind: 'response'; id: number; response: WireResponse }
  | { kind: 'failed'; id: number; error: WireError }
  | { kind: 'pong' }

export interface WireError {
  status: number
  code: string
  message: string
  body: unknown
  /** For the log. */
  cause: unknown
}

/** A clone takes all the memory that a view lies in with it, so that views of a batch get memory of their own. */
export const ownTensors = (tensors: Tensors): Tensors =>
  Object.fromEntries(
    Object.entries(tensors).map(([name, { type, shape, data }]) => [
      name,
      { type, shape, data: Array.isArray(data) || isWhole(data) ? data : (data.slice() as NumericArray) },
    ]),
  )

/** Whether nothing else lies in a view's memory. */
export const isWhole = ({ byteLength, buffer }: NodeJS.ArrayBufferView) => byteLength === buffer.byteLength

export function wireError(error: ApiError): WireError {
  const { status, code, message, cause } = error
  const body = error instanceof AdapterRefusal ? error.body : undefined
  return { status, code, message, body, cause: cause instanceof Error ? cause : cause && String(cause) }
}

export function errorOfWire({ status, code, message, body, cause }: WireError): ApiError {
  const error = body === undefined ? new ApiError(status, code, message) : new AdapterRefusal(status, message, body)
  if (cause !== undefined) error.cause = cause
  return error
}
