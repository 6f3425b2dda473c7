import { shadowHeader } from '../../vocabulary/headers.ts'
import type { Bytes } from '../../vocabulary/units.ts'
import type { AdapterModel } from '../adapter/adapter.ts'
import { predictionsOf } from '../adapter/predictions.ts'
import { tensorAdapter } from '../adapter/tensor.ts'
import type { ServedModel } from '../model/served-model.ts'
import type { Turn } from '../model/turn.ts'
import { type InferRequest, type JsonBytes, parseJsonBytes } from '../protocol/infer-request.ts'
import { parseJson } from '../protocol/json-body.ts'
import { countParameter } from '../protocol/parameters.ts'
import { checkInputs } from '../tensor/check-inputs.ts'
import { bytesIn, elementCount, ownTensors, type Tensor, type Tensors } from '../tensor/tensor.ts'
import type { Front, ServedAdapter } from './front.ts'
import { type HeavyJobs, heavyJobs } from './heavy-jobs.ts'
import type { HttpRequest } from './http-request.ts'
import { json, type Reply, type RequestTimings, replyOfWebResponse } from './reply.ts'
import { runModel } from './run-model.ts'

/** Larger bodies take milliseconds to parse, so another thread parses them. */
const heavyBytes = 256 * 1024
/** Smaller tensors are not counted: all that can wait at once add up to a few megabytes. */
const lightBytes = 16 * 1024
/** Larger outputs are rendered as JSON by another thread. */
const heavyElements = 32 * 1024

/**
 * Open Inference Protocol: parses the body into tensors, runs the model, renders the answer. Fills in `timings` on the
 * way.
 */
export async function infer(
  front: Front,
  { served, model }: ServedAdapter,
  request: HttpRequest,
  body: Buffer,
  timings: RequestTimings,
): Promise<Reply> {
  const { headers, hold } = request
  const turn = turnOf(request, served)
  // a large body is transferred to another thread and only its tensors return, so its length is noted now
  const bodyBytes = body.length
  const header = headers['inference-header-content-length'] as string | undefined
  const parsing = () => parseInfer(front, turn, served, body, parseJsonBytes(header, body))
  const inferRequest = await preprocess(front, timings, parsing)
  const timeoutUs = countParameter(inferRequest.parameters, 'timeout', 'parameters') ?? 0
  const priority = countParameter(inferRequest.parameters, 'priority', 'parameters') ?? 0
  const { inputs } = inferRequest
  const outputs = await whileHeld(hold, bytesIn(inputs) - bodyBytes, () =>
    runModel(served, inputs, turn, timings, priority, timeoutUs / 1000),
  )
  return whileHeld(hold, bytesIn(outputs), async () => ({
    status: 200,
    ...(await renderInfer(front, turn, served, model.labels, inferRequest, outputs)),
  }))
}

/** Like `infer`, but the model's adapter defines the request and response formats. */
export async function predict(
  front: Front,
  { served, adapter, model }: ServedAdapter,
  request: HttpRequest,
  body: Buffer,
  timings: RequestTimings,
): Promise<Reply> {
  const { method, url, headers, hold } = request
  const turn = turnOf(request, served)
  const counted = adapter === tensorAdapter ? body.length : 0
  const unread = { method, path: url, headers, body }
  const adapterRequest = { ...unread, json: () => parseJson(body) }
  try {
    const inputs = await preprocess(front, timings, async () => {
      const tensors =
        adapter === tensorAdapter
          ? await parseTensors(front, turn, unread, model)
          : await adapter.toTensors(adapterRequest, model, turn)
      checkInputs(model, tensors, 'partial')
      return tensors
    })
    const outputs = await whileHeld(hold, bytesIn(inputs) - counted, () => runModel(served, inputs, turn, timings))
    return await whileHeld(hold, bytesIn(outputs), async () => {
      if (adapter.toResponse === predictionsOf) return renderPredictions(front, turn, outputs, model)
      const answer = await adapter.toResponse(outputs, model, adapterRequest)
      return answer instanceof Response ? replyOfWebResponse(answer) : json(answer)
    })
  } finally {
    adapter.forget?.(adapterRequest)
  }
}

const turnOf = ({ headers, client }: HttpRequest, { waitMsMax }: ServedModel): Turn => ({
  shadow: headers[shadowHeader] !== undefined,
  client,
  waitMsMax,
})

async function preprocess<Value>(front: Front, timings: RequestTimings, parse: () => Promise<Value>): Promise<Value> {
  const startedAt = front.clock.monotonic()
  try {
    return await parse()
  } finally {
    timings.preprocessMs = front.clock.monotonic() - startedAt
  }
}

async function parseInfer(
  front: Front,
  turn: Turn,
  served: ServedModel,
  body: Buffer,
  jsonBytes: JsonBytes,
): Promise<InferRequest> {
  const { info } = served.loaded
  const isReadOneByOne = info.inputs.some(({ type }) => type === 'string' || type === 'bool')
  const isHeavy = (isReadOneByOne ? body.length : (jsonBytes ?? body.length)) > heavyBytes
  return isHeavy
    ? front.offThread.run(turn, 'parseInfer', body, jsonBytes, info)
    : heavyJobs.parseInfer(body, jsonBytes, info)
}

const parseTensors = (
  front: Front,
  turn: Turn,
  request: Parameters<HeavyJobs['parseTensors']>[0],
  model: AdapterModel,
) =>
  request.body.length > heavyBytes
    ? front.offThread.run(turn, 'parseTensors', request, model)
    : heavyJobs.parseTensors(request, model)

/**
 * Holds memory for tensors while they wait for the model or to be written: a small request may have large ones, so they
 * count towards the budget as bodies do. `bytes` is the amount not counted yet; it may be negative.
 */
function whileHeld<Value>(hold: HttpRequest['hold'], bytes: Bytes, use: () => Promise<Value>): Promise<Value> {
  if (bytes <= lightBytes) return use()
  if (bytes > heavyBytes) hold.takeTensors(bytes)
  else hold.add(bytes)
  return use().finally(() => hold.add(-bytes))
}

async function renderInfer(
  front: Front,
  turn: Turn,
  { name, version, loaded }: ServedModel,
  labels: readonly string[] | undefined,
  { id, outputs }: InferRequest,
  results: Tensors,
) {
  const model = { name, version, digest: loaded.digest, labels, batched: loaded.info.batch.kind !== 'none' }
  const written = outputs.filter(({ binary, classes }) => !binary || classes > 0)
  if (!isHeavyToRender(written.map(({ name }) => results[name]!)))
    return heavyJobs.renderInfer(model, { id, outputs }, results)
  const { headers, body } = await front.offThread.run(turn, 'renderInfer', model, { id, outputs }, ownTensors(results))
  return { headers, body: bufferOf(body) }
}

async function renderPredictions(front: Front, turn: Turn, outputs: Tensors, model: AdapterModel): Promise<Reply> {
  if (!isHeavyToRender(Object.values(outputs))) return json(predictionsOf(outputs, model))
  const body = await front.offThread.run(turn, 'renderPredictions', ownTensors(outputs), model)
  return { status: 200, headers: { 'content-type': 'application/json' }, body: bufferOf(body) }
}

const isHeavyToRender = (written: readonly Tensor[]) =>
  written.reduce((sum, { shape }) => sum + elementCount(shape), 0) > heavyElements

/** Buffers arrive from another thread as plain `Uint8Array`s. */
const bufferOf = ({ buffer, byteOffset, length }: Uint8Array) => Buffer.from(buffer, byteOffset, length)
