import type { Tensors } from '../tensor/tensor.ts'
import type { AdapterRequest } from './adapter.ts'

export interface WireResponse {
  status: number
  headers: [string, string][]
  body: Uint8Array<ArrayBuffer> | string | null
}

/** An adapter as seen inside its worker. It has no `toResponse` if the front renders responses itself. */
export interface WorkerAdapter {
  /** How many requests it processes at once; unlimited by default. */
  atOnce?: number
  toTensors(request: AdapterRequest): Promise<Tensors>
  toResponse?(outputs: Tensors, request: AdapterRequest): Promise<WireResponse>
}
