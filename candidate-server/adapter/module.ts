import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ApiError } from '../../runtime/api-error.ts'
import { serveError } from '../errors.ts'
import { describeValue } from '../tensor/describe-value.ts'
import { tensorOfElements } from '../tensor/json-tensor.ts'
import { formatShape } from '../tensor/model-info.ts'
import {
  elementCount,
  elementTypes,
  isElementType,
  type NumericArray,
  type Tensor,
  type Tensors,
} from '../tensor/tensor.ts'
import type { AdapterModel, AdapterModule, GivenTensor } from './adapter.ts'
import { AdapterRefusal } from './adapter-refusal.ts'
import type { WireResponse, WorkerAdapter } from './worker-adapter.ts'

const expectation =
  'the functions toTensors(request, model) and toResponse(outputs, model, request), by name or as its default'

/** Loads a user's module. Throws an error that says what it should export. */
export async function loadAdapterModule(model: AdapterModel, file: string): Promise<WorkerAdapter> {
  const adapter = await importModule(file)
  const title = `adapter ${basename(file)}`
  const guard = async <Result>(name: keyof AdapterModule, run: () => Result | Promise<Result>): Promise<Result> => {
    try {
      return await run()
    } catch (error) {
      throw serveErrorOf(`${title}: ${name}`, error)
    }
  }
  return {
    toTensors: (request) =>
      guard('toTensors', async () => completeTensors(await adapter.toTensors(request, model), model)),
    toResponse: (outputs, request) =>
      guard('toResponse', async () => toWireResponse(await adapter.toResponse(outputs, model, request))),
  }
}

async function importModule(file: string): Promise<AdapterModule> {
  let exported: Partial<AdapterModule> & { default?: Partial<AdapterModule> }
  try {
    exported = await import(pathToFileURL(file).href)
  } catch (error) {
    const { message } = error as Error
    // both loaders name a file by its path, but `require` calls packages modules
    const remedy = /^Cannot find (package|module '[^./])/.test(message)
      ? 'install it in the folder of the module, or in one above that'
      : `expected a module that exports ${expectation}`
    throw new Error(`adapter ${file} cannot be loaded: ${message}; ${remedy}`)
  }
  const adapter = exported.default ?? exported
  const missing = (['toTensors', 'toResponse'] as const).filter((name) => typeof adapter[name] !== 'function')
  if (missing.length === 0) return adapter as AdapterModule
  const names = Object.keys(adapter)
  throw new Error(
    `adapter ${file}: expected it to export ${expectation}; ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing among ${names.length > 0 ? names.join(', ') : 'no exports'}`,
  )
}

/**
 * Fills in types and converts plain arrays where the module left these to the model. Throws if data and shape differ.
 */
function completeTensors(given: Record<string, GivenTensor>, model: AdapterModel): Tensors {
  if (given === null || typeof given !== 'object') {
    throw new TypeError(`expected {INPUT: {shape, data}}, got ${describeValue(given)}`)
  }
  return Object.fromEntries(Object.entries(given).map(([name, tensor]) => [name, completeTensor(name, tensor, model)]))
}

function completeTensor(name: string, given: GivenTensor, { inputs }: AdapterModel): Tensor {
  const { type: ownType, shape, data } = given ?? {}
  const type = ownType ?? inputs.find((input) => input.name === name)?.type
  if (type === undefined) {
    throw new TypeError(`the model has no input ${name}; it takes ${inputs.map((input) => input.name).join(', ')}`)
  }
  if (!isElementType(type)) throw new TypeError(`${name}: expected a type such as float32, got ${describeValue(type)}`)
  if (!Array.isArray(shape) || !shape.every((size) => Number.isSafeInteger(size) && size >= 0)) {
    const got = Array.isArray(shape) ? `[${shape.slice(0, 8).map(describeValue).join(', ')}]` : describeValue(shape)
    throw new TypeError(`${name}: expected a shape such as [1, 3, 224, 224], got ${got}`)
  }
  if (Array.isArray(data)) return tensorOfElements(name, type, shape, data)
  const array = type === 'string' ? Array : elementTypes[type].array
  if (!(data instanceof array) || data.length !== elementCount(shape)) {
    const got = ArrayBuffer.isView(data)
      ? `${(data as NumericArray).length} in a ${data.constructor.name}`
      : describeValue(data)
    throw new TypeError(
      `${name}: expected ${elementCount(shape)} elements for the shape ${formatShape(shape)} in an array or ${array.name}, got ${got}`,
    )
  }
  return { type, shape, data: data as NumericArray }
}

async function toWireResponse(answer: unknown): Promise<WireResponse> {
  if (answer instanceof Response) {
    const { status, headers, body, type, url } = answer
    if (type === 'error') throw new TypeError('it gave Response.error(), which has no status')
    // `fetch` unpacks a body and leaves the header that says how it was packed
    const isUnpacked = url !== ''
    const own = [...headers].filter(([name]) => !(isUnpacked && name === 'content-encoding'))
    return { status, headers: own, body: body && new Uint8Array(await answer.arrayBuffer()) }
  }
  const body = JSON.stringify(answer)
  if (body === undefined) throw new TypeError(`it gave ${describeValue(answer)}; return a JSON value or a Response`)
  return { status: 200, headers: [['content-type', 'application/json']], body }
}

function serveErrorOf(where: string, error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { status, message, body } = (error ?? {}) as { status?: unknown; message?: unknown; body?: unknown }
  const text = String(message ?? error)
  const isClients = typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 500
  if (isClients && body === undefined) return new ApiError(status, 'BAD_INPUT', text)
  if (isClients && isJson(body)) return new AdapterRefusal(status, text, JSON.parse(JSON.stringify(body)))
  const failed = serveError('ADAPTER_FAILED', `${where} failed: ${text}${isClients ? ', and its body is no JSON' : ''}`)
  failed.cause = error
  return failed
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}
