import type { ModelInfo } from '../model/model-info.ts'
import type { ElementType, NumericArray, Tensors } from '../model/tensor.ts'
import type { Turn } from '../model/turn.ts'

/** A request as an adapter gets it: the whole body, decompressed. */
export interface AdapterRequest {
  method: string
  /** With the query. */
  path: string
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  /** The body parsed; throws the 400 that the client gets. */
  json(): unknown
}

export interface AdapterModel extends ModelInfo {
  name: string
  version: string
  labels: readonly string[] | undefined
  /** Of its file: a tokenizer or a vocabulary is found beside it. */
  path: string
  /** No two requests share a run: the first dimension may be no batch, but time. */
  runsAlone: boolean
}

/** Turns one API's request into the model's inputs, and the model's outputs into that API's response. */
export interface Adapter {
  /** All inputs, with their batch dimension. */
  toTensors(request: AdapterRequest, model: AdapterModel, turn: Turn): Tensors | Promise<Tensors>
  /**
   * A JSON value, or a web `Response` for another type or status. Only this request's rows are in `outputs`; `request`
   * is the one that `toTensors` was given.
   */
  toResponse(outputs: Tensors, model: AdapterModel, request: AdapterRequest): unknown
  /** The request is over: it may never have come to `toResponse`. */
  forget?(request: AdapterRequest): void
}

/** One that has a thread or a process of its own. */
export interface RunningAdapter extends Adapter {
  stop(): Promise<void>
}

/** What a module gives for one input. */
export interface GivenTensor {
  /** The model's own where left out. */
  type?: ElementType
  /** All dimensions, the batch first: more than one row is one request with several. */
  shape: number[]
  /** Row-major. Plain arrays become the model's type. */
  data: NumericArray | readonly number[] | readonly bigint[] | readonly boolean[] | readonly string[]
}

/**
 * What a user's module exports, by name or together as its default: an API of its own for one model. It runs in a
 * process of its own, so it may block and may be async. Once an error escapes it outside of the two functions, as in a
 * timer, or its objects take more than 1 GiB, the process is started anew: requests inside it are answered with a 500,
 * and other models do not notice.
 */
export interface AdapterModule {
  /**
   * All inputs by name, with their batch dimension. An error that is thrown with a `status` of 4xx is the client's:
   * its message is answered, or on the model's own `paths` its `body` where it has one. Any other error is a 500.
   */
  toTensors(
    request: AdapterRequest,
    model: AdapterModel,
  ): Record<string, GivenTensor> | Promise<Record<string, GivenTensor>>
  /**
   * A JSON value, or a web `Response` for another type or status. `outputs` are by name, row-major, with this
   * request's rows only; `request` is the very object that `toTensors` was given, so what was put aside for it (in a
   * `WeakMap`) is found again.
   */
  toResponse(outputs: Tensors, model: AdapterModel, request: AdapterRequest): unknown
}

/** Whether a request brings one row of this input, so that the adapter adds the first dimension. */
export const hasBatchDimension = (shape: readonly number[], model: ModelInfo) =>
  shape[0] === -1 || shape[0] === 1 || (shape.length > 0 && model.batch.kind === 'fixed')
