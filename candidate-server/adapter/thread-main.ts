/** The other end of `adapter-thread.ts`: one adapter in a thread of its own. */
import { parentPort, workerData } from 'node:worker_threads'
import { ApiError } from '../../runtime/api-error.ts'
import type { NumericArray, Tensors } from '../model/tensor.ts'
import { serveError } from '../protocol/errors.ts'
import { parseJson } from '../protocol/json-body.ts'
import type { AdapterRequest } from './adapter.ts'
import { createImageAdapter } from './image.ts'
import { loadAdapterModule } from './module.ts'
import { createTextAdapter } from './text.ts'
import {
  type FromThread,
  isWhole,
  ownTensors,
  type ThreadAdapter,
  type ThreadSetup,
  type ToThread,
  type WireRequest,
  wireError,
} from './thread-messages.ts'

const port = parentPort!
const setup = workerData as ThreadSetup
const send = (message: FromThread, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

try {
  const adapter = await createAdapter()
  port.on('message', (message: ToThread) => answer(adapter, message))
  send({ kind: 'loaded' })
} catch (error) {
  send({ kind: 'unloadable', message: (error as Error).message })
}

async function createAdapter(): Promise<ThreadAdapter> {
  switch (setup.kind) {
    case 'image':
      return createImageAdapter(setup.model, setup)
    case 'text':
      return createTextAdapter(setup.model, setup)
    case 'module':
      return loadAdapterModule(setup.file)
  }
}

async function answer(adapter: ThreadAdapter, message: ToThread): Promise<void> {
  if (message.kind === 'ping') return send({ kind: 'pong' })
  const { id } = message
  try {
    if (message.kind === 'toTensors') {
      const tensors = await adapter.toTensors(requestOfWire(message.request), setup.model)
      // what a module gives may be its own for the next request too, and so it is copied
      send({ kind: 'tensors', id, tensors: ownTensors(tensors) }, setup.kind === 'module' ? [] : buffersOf(tensors))
    } else {
      const response = await adapter.toResponse!(message.outputs, setup.model)
      send({ kind: 'response', id, response }, response.body instanceof Uint8Array ? [response.body.buffer] : [])
    }
  } catch (error) {
    send({ kind: 'failed', id, error: wireError(error instanceof ApiError ? error : unexpected(error)) })
  }
}

function requestOfWire({ body: bytes, ...request }: WireRequest): AdapterRequest {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { ...request, body, json: () => parseJson(body) }
}

const buffersOf = (tensors: Tensors) =>
  Object.values(tensors).flatMap(({ data }) =>
    Array.isArray(data) || !isWhole(data) ? [] : [(data as NumericArray).buffer as ArrayBuffer],
  )

function unexpected(error: unknown): ApiError {
  const failed = serveError('ADAPTER_FAILED', `the adapter failed: ${(error as Error)?.message ?? error}`)
  failed.cause = error
  return failed
}
