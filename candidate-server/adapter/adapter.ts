import type { ModelInfo } from '../tensor/model-info.ts'
import type { ElementType, NumericArray, Tensors } from '../tensor/tensor.ts'

export interface UnreadRequest {
  method: string
  /** Path and query. */
  path: string
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** A request as an adapter receives it: the whole body, decompressed. */
export interface AdapterRequest extends UnreadRequest {
  /** Parses the body; throws the 400 that the client receives. */
  json(): unknown
}

export interface AdapterModel extends ModelInfo {
  name: string
  version: string
  labels: readonly string[] | undefined
  /** Path of the model file; tokenizers and vocabularies are looked for beside it. */
  path: string
  /** Requests never share a run, because the first dimension may be time and not the batch. */
  runsAlone: boolean
}

/** A tensor as a module returns it for one input. */
export interface GivenTensor {
  /** Defaults to the model's own type. */
  type?: ElementType
  /** All dimensions, batch first. More than one row means that one request brings several. */
  shape: number[]
  /** Row-major. Plain arrays are converted to the model's type. */
  data: NumericArray | readonly number[] | readonly bigint[] | readonly boolean[] | readonly string[]
}

/**
 * What a user's module exports, by name or together as its default export: an API of its own for one model. The module
 * runs in its own process, so it may block and may be async. If an error escapes outside both functions (from a timer,
 * say) or its objects exceed 1 GiB, the process is restarted: requests inside it get a 500, and other models are not
 * affected.
 */
export interface AdapterModule {
  /**
   * All inputs by name, including their batch dimension. A thrown error whose `status` is 4xx is the client's: the
   * client receives its message or, on the model's own `paths`, its `body` if it has one. Any other error is a 500.
   */
  toTensors(
    request: AdapterRequest,
    model: AdapterModel,
  ): Record<string, GivenTensor> | Promise<Record<string, GivenTensor>>
  /**
   * Returns a JSON value, or a web `Response` for another type or status. `outputs` are by name, row-major, and hold
   * only this request's rows. `request` is the very object that `toTensors` received, so a `WeakMap` can carry state
   * from one to the other.
   */
  toResponse(outputs: Tensors, model: AdapterModel, request: AdapterRequest): unknown
}

/** Whether requests bring a single row of this input, so that the adapter adds the first dimension. */
export const hasBatchDimension = (shape: readonly number[], model: ModelInfo) =>
  shape[0] === -1 || shape[0] === 1 || (shape.length > 0 && model.batch.kind === 'fixed')
