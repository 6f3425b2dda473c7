import type { Tensors } from '../../model/tensor.ts'
import type { AdapterModel, AdapterRequest } from '../adapter.ts'

export interface WireResponse {
  status: number
  headers: [string, string][]
  body: Uint8Array<ArrayBuffer> | string | null
}

/** An adapter as it is inside its room. `toResponse` is left out where the front does it. */
export interface RoomAdapter {
  /** Requests that it works on at once; any number where left out. */
  atOnce?: number
  toTensors(request: AdapterRequest, model: AdapterModel): Tensors | Promise<Tensors>
  toResponse?(outputs: Tensors, model: AdapterModel, request: AdapterRequest): Promise<WireResponse>
}
