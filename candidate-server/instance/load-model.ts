import { dirname, join } from 'node:path'
import { env, InferenceSession, Tensor as RuntimeTensor } from 'onnxruntime-node'
import { batchDimensionOf, type ModelInfo, type TensorInfo } from '../model/model-info.ts'
import {
  type ElementType,
  emptyTensor,
  isElementType,
  type NumericArray,
  type Tensor,
  type Tensors,
} from '../model/tensor.ts'
import { foreignFile } from './foreign-file.ts'
import { LoadError, loadErrorOf } from './load-error.ts'
import type { LoadedModel, LoadRequest } from './messages.ts'
import { digestModel, externalDataProblems, type ModelFile, readModelFile, stateOf } from './model-file.ts'
import { modelForCpu } from './model-for-cpu.ts'
import { readWhole } from './read-whole.ts'
import { runtimeMessage } from './runtime-message.ts'
import { areRowsSame } from './same-rows.ts'

// measured, 1.30.0: the binding finds no bytes in a Float16Array; where the runtime sees none, it takes and gives Uint16Array
Reflect.deleteProperty(globalThis, 'Float16Array')

export interface Loaded {
  session: InferenceSession
  model: LoadedModel
}

/** Reads, checks and warms up one model. Throws a `LoadError` that says what to do. */
export async function loadModel(request: LoadRequest): Promise<Loaded> {
  const file = inspect(request.path)
  const before = stateOf(request.path, file.externalData.keys())
  const digest = await digestModel(request.path, file.externalData.keys())
  const { session, ...rewritten } = await createSession(request, file)
  // the runtime has read it once more: under the digest of another file nothing may answer
  if (stateOf(request.path, file.externalData.keys()) !== before) {
    throw new LoadError('MODEL_CHANGED', `${request.path} has changed while it was loaded; load it once it is whole`)
  }
  const inputs = session.inputMetadata.map((metadata) => toTensorInfo(metadata, 'input'))
  const unranked = inputs.find(({ name }) => file.unranked.has(name))
  if (unranked) {
    throw new LoadError(
      'MODEL_UNSUPPORTED',
      `${request.path} does not tell how many dimensions its input ${unranked.name} has; write its shape into the file (onnx.tools.update_model_dims.update_inputs_outputs_dims, names for what may have any size)`,
    )
  }
  const outputs = session.outputMetadata.map((metadata) => toTensorInfo(metadata, 'output'))
  // the runtime's binding gives outputs as the properties of an object, where that name stands for something else
  if (outputs.some(({ name }) => name === '__proto__')) {
    throw new LoadError(
      'MODEL_UNSUPPORTED',
      `${request.path} has an output called __proto__, which ONNX Runtime cannot give to JavaScript; rename it (onnx.compose.add_prefix, say)`,
    )
  }
  const startedAt = performance.now()
  const info: ModelInfo = { inputs, outputs, batch: batchDimensionOf(inputs, outputs) }
  let warmUp: LoadedModel['warmUp']
  let mixesRows = false
  try {
    const probed = await probe(session, info)
    const { batch, shapes } = probed
    info.batch = batch
    mixesRows = probed.mixesRows
    await warmUpLarge(session, info, request.warmUp)
    warmUp = { kind: 'done', ms: performance.now() - startedAt, shapes }
  } catch (error) {
    warmUp = { kind: 'refused', message: runtimeMessage(error) }
  }
  const { quantization, int8, opset } = file
  const runtimeVersion = env.versions.node ?? 'unknown'
  return {
    session,
    model: { info, digest, quantization, mixesRows, int8, ...rewritten, opset, runtimeVersion, warmUp },
  }
}

export async function run(session: InferenceSession, inputs: Tensors): Promise<Tensors> {
  const feeds = Object.fromEntries(
    Object.entries(inputs).map(([name, { type, shape, data }]) => [
      name,
      new RuntimeTensor(
        type as 'float32',
        (type === 'float16' ? asBits(data as Float16Array) : data) as Float32Array,
        shape,
      ),
    ]),
  )
  const results = await session.run(feeds)
  return Object.fromEntries(
    Object.entries(results).map(([name, { type, dims, data }]) => [
      name,
      { type: type as ElementType, shape: [...dims], data: data as NumericArray | string[] } satisfies Tensor,
    ]),
  )
}

const asBits = (data: Float16Array) => new Uint16Array(data.buffer, data.byteOffset, data.length)

/** All options are explicit: the runtime's own default pool pins itself outside the process's mask. */
async function createSession(request: LoadRequest, file: ModelFile) {
  const { path, threads, spinning, session } = request
  let externalData: ReturnType<typeof readExternalData> = []
  try {
    const rewritten = modelForCpu(path, file, session)
    externalData = readExternalData(path, file)
    const options = {
      executionProviders: ['cpu'],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      graphOptimizationLevel: session.graphOptimization,
      enableCpuMemArena: session.memoryArena,
      enableMemPattern: session.memoryPattern,
      logSeverityLevel: 4, // what fails is thrown; it need not be on the terminal too
      extra: sessionEntries(session, spinning),
      externalData,
    } as InferenceSession.SessionOptions
    const { model, amxConvolutions = 0, stemInBlocks = false } = rewritten ?? {}
    const made = model ? InferenceSession.create(model, options) : InferenceSession.create(path, options)
    return { session: await made, amxConvolutions, stemInBlocks }
  } catch (error) {
    throw loadErrorOf(path, file, runtimeMessage(error))
  } finally {
    // an instance makes no garbage that would ever have it collected: it would keep the weights twice
    for (const { data } of externalData) data.buffer.transfer(0)
  }
}

/**
 * By itself the runtime maps these files, and what is copied over one of them while it serves would change its answers
 * (measured, 1.30); of what it is given in memory it makes its own copy.
 */
function readExternalData(path: string, { externalData }: ModelFile) {
  return [...externalData.keys()].map((location) => ({
    path: `./${location}`, // the binding takes one ./ off, be it the model's own
    data: readWhole(join(dirname(path), location)),
  }))
}

/** The runtime takes strings, and joins the keys of nested objects with dots; a key with dots in it is taken as it is. */
function sessionEntries({ extra }: LoadRequest['session'], spinning: LoadRequest['spinning']): Record<string, string> {
  const entries = Object.entries({
    'session.intra_op.allow_spinning': spinning !== 'never',
    'session.force_spinning_stop': spinning === 'withinRuns',
    ...extra,
  })
  return Object.fromEntries(entries.map(([key, value]) => [key, String(Number(value))]))
}

function inspect(path: string): ModelFile {
  let file: ModelFile
  try {
    file = readModelFile(path)
  } catch (error) {
    if (error instanceof RangeError) {
      const found = foreignFile(path) ?? `${error.message}; check that it is an ONNX file, and copied whole`
      throw new LoadError('MODEL_INVALID', `${path} is not a model that ONNX Runtime can load: ${found}`)
    }
    throw new LoadError(
      'MODEL_MISSING',
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code}); check the model's path: in the config`,
    )
  }
  const problems = externalDataProblems(path, file)
  if (problems.length > 0) {
    throw new LoadError(
      'MODEL_MISSING',
      `${path} keeps its weights in other files, and ${problems.join(', ')}; copy all files of the export into one folder, or save the model as a single file (onnx.save without save_as_external_data)`,
    )
  }
  return file
}

function toTensorInfo(metadata: InferenceSession.ValueMetadata, side: 'input' | 'output'): TensorInfo {
  if (!metadata.isTensor) {
    throw new LoadError(
      'MODEL_UNSUPPORTED',
      `${side} ${metadata.name} is a sequence, a map or optional, not a tensor; export the model with tensors only (of a classifier: options={'zipmap': False} in skl2onnx, zipmap=False in onnxmltools)`,
    )
  }
  if (!isElementType(metadata.type)) {
    throw new LoadError(
      'MODEL_UNSUPPORTED',
      `${side} ${metadata.name} has the element type ${metadata.type}, which is not served; cast it in the graph${String(metadata.type) === 'bfloat16' ? ', or export the model as float32 or float16' : ''}`,
    )
  }
  return {
    name: metadata.name,
    type: metadata.type,
    shape: metadata.shape.map((size) => (typeof size === 'number' ? size : -1)),
  }
}

/**
 * Warms up, and finds by running what the metadata may not tell: whether every output has one row per input row, and
 * whether that row is of this input row alone. Throws where the model refuses zeros of the smallest shapes.
 */
async function probe(session: InferenceSession, info: ModelInfo) {
  await run(session, zeros(info, 1))
  const single = await run(session, zeros(info, 1))
  const shapes = Object.fromEntries(Object.entries(single).map(([name, { shape }]) => [name, shape]))
  if (!info.inputs.every(({ shape }) => shape[0] === -1)) {
    const { batch } = info
    const mixesRows = batch.kind === 'fixed' && batch.size > 1 && (await mixes(session, info, batch.size))
    return { shapes, batch, mixesRows }
  }
  const two = Object.values(shapes).every(([rows]) => rows === 1)
    ? await run(session, zeros(info, 2)).catch(() => undefined)
    : undefined
  if (!two || !Object.values(two).every(({ shape }) => shape[0] === 2)) {
    return { shapes, batch: { kind: 'none' } as const, mixesRows: false }
  }
  return { shapes, batch: { kind: 'dynamic' } as const, mixesRows: await mixes(session, info, 2) }
}

/** Whether a row of zeros is answered otherwise beside ones than beside zeros, in runs of the same size. */
async function mixes(session: InferenceSession, info: ModelInfo, rows: number): Promise<boolean> {
  const [one, again, besideOnes] = [zeros(info, rows), zeros(info, rows), zeros(info, rows)]
  for (const { type, data } of Object.values(besideOnes)) {
    if (type === 'string') continue
    const one = type === 'int64' || type === 'uint64' ? 1n : 1
    ;(data as Float32Array).fill(one as number, data.length / rows)
  }
  const answers: Tensors[] = []
  for (const inputs of [one, again, besideOnes]) {
    const answer = await run(session, inputs).catch(() => undefined)
    if (answer === undefined) return false
    answers.push(answer)
  }
  const [first, second, third] = answers as [Tensors, Tensors, Tensors]
  // one that draws lots answers otherwise in any case
  return areRowsSame(first, second, rows) && !areRowsSame(first, third, 1)
}

/** The runtime plans memory for each shape that it meets; the largest is best met before the first request. */
async function warmUpLarge(session: InferenceSession, info: ModelInfo, { rows, length }: LoadRequest['warmUp']) {
  const largest = info.batch.kind === 'dynamic' ? rows : 1
  // a model may refuse lengths that its metadata allows: it then meets its first request cold
  if (largest > 1 || length > 1) await run(session, zeros(info, largest, length)).catch(() => undefined)
}

function zeros({ inputs }: ModelInfo, rows: number, length = 1): Tensors {
  return Object.fromEntries(
    inputs.map(({ name, type, shape }) => [
      name,
      emptyTensor(
        type,
        shape.map((size, i) => (size !== -1 ? size : i === 0 ? rows : i === 1 ? length : 1)),
      ),
    ]),
  )
}
