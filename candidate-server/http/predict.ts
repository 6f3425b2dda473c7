import type { Bytes } from '../../vocabulary/units.ts'
import { predictionsOf } from '../adapter/predictions.ts'
import { type InferRequest, type JsonBytes, parseJsonBytes } from '../protocol/infer-request.ts'
import { countParameter } from '../protocol/parameters.ts'
import { checkInputs } from '../tensor/check-inputs.ts'
import { bytesIn, elementCount, ownTensors, type Tensor, type Tensors } from '../tensor/tensor.ts'
import { type HeavyJobs, heavyJobs } from './heavy-jobs.ts'
import type { HttpRequest } from './http-request.ts'
import type { ModelCall } from './model-call.ts'
import { bufferOf, json, type Reply, replyOfModule } from './reply.ts'
import { runModel } from './run-model.ts'

/** Larger bodies take milliseconds to parse, so another thread parses them. */
const heavyBytes = 256 * 1024
/** Smaller tensors are not counted: all that can wait at once add up to a few megabytes. */
const lightBytes = 16 * 1024
/** Larger outputs are rendered as JSON by another thread. */
const heavyElements = 32 * 1024

/** Open Inference Protocol: parses the body into tensors, runs the model, renders the answer. */
export async function infer(call: ModelCall, body: Buffer): Promise<Reply> {
  const { headers, hold } = call.request
  // a large body is transferred to another thread and only its tensors return, so its length is noted now
  const bodyBytes = body.length
  const header = headers['inference-header-content-length'] as string | undefined
  const inferRequest = await preprocess(call, () => parseInfer(call, body, parseJsonBytes(header, body)))
  const timeoutUs = countParameter(inferRequest.parameters, 'timeout', 'parameters') ?? 0
  const priority = countParameter(inferRequest.parameters, 'priority', 'parameters') ?? 0
  const { inputs } = inferRequest
  const outputs = await whileHeld(hold, bytesIn(inputs) - bodyBytes, () =>
    runModel(call, inputs, { priority, timeoutMs: timeoutUs / 1000 }),
  )
  return whileHeld(hold, bytesIn(outputs), async () => ({
    status: 200,
    ...(await renderInfer(call, inferRequest, outputs)),
  }))
}

/** Like `infer`, but the model's adapter defines the request and response formats. */
export async function predict(call: ModelCall, body: Buffer): Promise<Reply> {
  const { adapter, model, turn } = call
  const { method, url, headers, hold } = call.request
  const counted = adapter ? 0 : body.length
  const asked = { method, path: url, headers, body }
  try {
    const inputs = await preprocess(call, async () => {
      const tensors = await (adapter ? adapter.toTensors(asked, turn) : parseTensors(call, asked))
      checkInputs(model, tensors, 'partial')
      return tensors
    })
    const outputs = await whileHeld(hold, bytesIn(inputs) - counted, () => runModel(call, inputs))
    return await whileHeld(hold, bytesIn(outputs), async () =>
      adapter?.makesResponses
        ? replyOfModule(await adapter.toResponse(outputs, asked))
        : renderPredictions(call, outputs),
    )
  } finally {
    if (adapter?.makesResponses) adapter.forget(asked)
  }
}

async function preprocess<Value>({ front, timings }: ModelCall, parse: () => Promise<Value>): Promise<Value> {
  const startedAt = front.clock.monotonic()
  try {
    return await parse()
  } finally {
    timings.preprocessMs = front.clock.monotonic() - startedAt
  }
}

async function parseInfer(
  { front, turn, served }: ModelCall,
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

const parseTensors = ({ front, turn, model }: ModelCall, request: Parameters<HeavyJobs['parseTensors']>[0]) =>
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

async function renderInfer({ front, turn, served, model }: ModelCall, { id, outputs }: InferRequest, results: Tensors) {
  const { name, version, loaded } = served
  const { digest, info } = loaded
  const answering = { name, version, digest, labels: model.labels, batched: info.batch.kind !== 'none' }
  const written = outputs.filter(({ binary, classes }) => !binary || classes > 0)
  if (!isHeavyToRender(written.map(({ name }) => results[name]!))) {
    return heavyJobs.renderInfer(answering, { id, outputs }, results)
  }
  const { headers, body } = await front.offThread.run(
    turn,
    'renderInfer',
    answering,
    { id, outputs },
    ownTensors(results),
  )
  return { headers, body: bufferOf(body) }
}

async function renderPredictions({ front, turn, model }: ModelCall, outputs: Tensors): Promise<Reply> {
  if (!isHeavyToRender(Object.values(outputs))) return json(predictionsOf(outputs, model))
  const body = await front.offThread.run(turn, 'renderPredictions', ownTensors(outputs), model)
  return { status: 200, headers: { 'content-type': 'application/json' }, body: bufferOf(body) }
}

const isHeavyToRender = (written: readonly Tensor[]) =>
  written.reduce((sum, { shape }) => sum + elementCount(shape), 0) > heavyElements
