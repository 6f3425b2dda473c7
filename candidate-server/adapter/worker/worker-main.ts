/** The worker's side of `adapter-calls.ts`: runs one adapter in its own thread or process. */
import { parentPort, workerData } from 'node:worker_threads'
import { ApiError } from '../../../runtime/api-error.ts'
import { serveError } from '../../errors.ts'
import { parseJson } from '../../protocol/json-body.ts'
import { isWhole, type NumericArray, ownTensors, type Tensors } from '../../tensor/tensor.ts'
import type { AdapterRequest } from '../adapter.ts'
import { createImageAdapter } from '../image/image.ts'
import { loadAdapterModule } from '../module.ts'
import { createTextAdapter } from '../text/text.ts'
import type { WorkerAdapter } from '../worker-adapter.ts'
import { JobQueue } from './job-queue.ts'
import { tooLate } from './places.ts'
import { reasonOf } from './worker.ts'
import { type FromWorker, type ToWorker, type WireRequest, type WorkerSetup, wireError } from './worker-messages.ts'

const setup: WorkerSetup = parentPort ? workerData : JSON.parse(process.argv[2]!)
const send = (message: FromWorker, transfer: ArrayBuffer[] = []) => {
  if (parentPort) parentPort.postMessage(message, transfer)
  else if (process.connected) process.send!(message, undefined, undefined, () => {})
}
/** Modules' requests between `toTensors` and `toResponse`, by call id. */
const requests = new Map<number, AdapterRequest>()

if (!parentPort) endWithTheFront()

try {
  const adapter = await createAdapter()
  const jobs = new JobQueue(adapter.atOnce ?? Number.POSITIVE_INFINITY)
  const listen = (message: ToWorker) => receive(adapter, jobs, message)
  if (parentPort) parentPort.on('message', listen)
  else process.on('message', listen)
  send({ kind: 'loaded' })
} catch (error) {
  send({ kind: 'unloadable', message: (error as Error).message })
}

async function createAdapter(): Promise<WorkerAdapter> {
  switch (setup.kind) {
    case 'image':
      return createImageAdapter(setup.model, setup)
    case 'text':
      return createTextAdapter(setup.model, setup)
    case 'module':
      return loadAdapterModule(setup.model, setup.file)
  }
}

/** A separate process also receives the terminal's Ctrl-C, but the front decides when it ends. */
function endWithTheFront(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit(0))
  process.on('uncaughtException', (error) => {
    const end = () => process.exit(1)
    if (process.connected) process.send!({ kind: 'broken', reason: reasonOf(error) }, undefined, undefined, end)
    else end()
  })
}

function receive(adapter: WorkerAdapter, jobs: JobQueue, message: ToWorker): void {
  if (message.kind === 'ping') send({ kind: 'pong' })
  else if (message.kind === 'forget') requests.delete(message.request)
  else if (message.kind === 'withdraw') {
    if (jobs.withdraw(message.call)) fail(message.call, tooLate('the adapter'))
  } else jobs.add(message.id, message, () => answer(adapter, message))
}

async function answer(adapter: WorkerAdapter, message: Extract<ToWorker, { id: number }>): Promise<void> {
  const { id } = message
  try {
    if (message.kind === 'toTensors') {
      const request = requestOfWire(message.request)
      if (adapter.toResponse) requests.set(id, request)
      const tensors = await adapter.toTensors(request)
      // a module may reuse its buffers for the next request, so they are copied
      send({ kind: 'tensors', id, tensors: ownTensors(tensors) }, setup.kind === 'module' ? [] : buffersOf(tensors))
    } else {
      const request = requests.get(message.request)
      if (!request) {
        throw serveError('ADAPTER_FAILED', 'the adapter ended before it was asked for the response; try again')
      }
      const response = await adapter.toResponse!(message.outputs, request)
      send({ kind: 'response', id, response }, response.body instanceof Uint8Array ? [response.body.buffer] : [])
    }
  } catch (error) {
    fail(id, error instanceof ApiError ? error : unexpected(error))
  }
}

const fail = (id: number, error: ApiError) => send({ kind: 'failed', id, error: wireError(error) })

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
