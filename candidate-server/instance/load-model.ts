import { env, InferenceSession } from 'onnxruntime-node'
import { digestModel, externalDataProblems, readExternalData, stateOf } from '../model-file/external-data.ts'
import { notAModel } from '../model-file/foreign-file.ts'
import { type ModelFile, readModelFile } from '../model-file/model-file.ts'
import { modelForCpu } from '../model-file/model-for-cpu.ts'
import { type BatchDimension, batchDimensionOf, type ModelInfo, type TensorInfo } from '../tensor/model-info.ts'
import { isElementType } from '../tensor/tensor.ts'
import { LoadError, loadErrorOf } from './load-error.ts'
import type { LoadedModel, LoadRequest } from './messages.ts'
import { probeModel, warmUpLarge } from './probe-model.ts'
import { runtimeMessage } from './runtime-message.ts'

interface Loaded {
  session: InferenceSession
  model: LoadedModel
}

/** Reads, checks and warms up one model. Throws a `LoadError` that says what to do. */
export async function loadModel(request: LoadRequest): Promise<Loaded> {
  const file = inspect(request.path)
  const externalData = [...file.externalData.keys()]
  const before = stateOf(request.path, externalData)
  const digest = await digestModel(request.path, externalData)
  const { session, ...rewritten } = await createSession(request, file)
  // the runtime has read the file a second time; the digest must be that of the file it read
  if (stateOf(request.path, externalData) !== before) {
    throw new LoadError('MODEL_CHANGED', `${request.path} has changed while it was loaded; load it once it is whole`)
  }
  const info = infoOf(session, request.path, file)
  const startedAt = performance.now()
  let warmUp: LoadedModel['warmUp']
  const { quantization, int8, opset } = file
  // dynamic quantization computes its ranges over the whole batch, so rows always affect each other
  const sharesRuns = quantization !== 'dynamic' && request.warmUp.rows > 1
  let { mixesRows } = request
  try {
    const probed = await probeModel(session, info, sharesRuns && mixesRows === undefined)
    const { batch, shapes } = probed
    info.batch = batch
    for (const output of info.outputs) describeOutput(output, shapes[output.name]!, batch)
    mixesRows ??= probed.mixesRows
    const rows = sharesRuns && !mixesRows ? request.warmUp.rows : 1
    await warmUpLarge(session, info, { ...request.warmUp, rows }, probed.size)
    warmUp = { kind: 'done', ms: performance.now() - startedAt, shapes }
  } catch (error) {
    warmUp = { kind: 'refused', message: runtimeMessage(error) }
  }
  const runtimeVersion = env.versions.node ?? 'unknown'
  return {
    session,
    model: { info, digest, externalData, quantization, mixesRows, int8, ...rewritten, opset, runtimeVersion, warmUp },
  }
}

/** What the file tells of the model's tensors. Throws a `LoadError` for what is not served. */
function infoOf(session: InferenceSession, path: string, file: ModelFile): ModelInfo {
  const inputs = session.inputMetadata.map((metadata) => tensorInfoOf(metadata, 'input', file))
  const unranked = inputs.find(({ name }) => file.unranked.has(name))
  if (unranked) {
    throw new LoadError(
      'MODEL_UNSUPPORTED',
      `${path} does not tell how many dimensions its input ${unranked.name} has; write its shape into the file (onnx.tools.update_model_dims.update_inputs_outputs_dims, names for what may have any size)`,
    )
  }
  const outputs = session.outputMetadata.map((metadata) => tensorInfoOf(metadata, 'output', file))
  if (outputs.length === 0) throw new LoadError('MODEL_UNSUPPORTED', `${path} has no outputs; export it with some`)
  // the runtime's binding returns outputs as object properties, and this name is special there
  if (outputs.some(({ name }) => name === '__proto__')) {
    throw new LoadError(
      'MODEL_UNSUPPORTED',
      `${path} has an output called __proto__, which ONNX Runtime cannot give to JavaScript; rename it (onnx.compose.add_prefix, say)`,
    )
  }
  return { inputs, outputs, batch: batchDimensionOf(inputs, outputs) }
}

/** Adds what the file leaves open and the output for one row tells. */
function describeOutput(output: TensorInfo, found: readonly number[], batch: BatchDimension): void {
  // the runtime gives an output of unknown rank the shape of a scalar
  if (output.shape.length === 0) output.shape = found.map(() => -1)
  // a label of `[1]`, say, as onnxmltools declares it whatever the number of rows
  if (batch.kind === 'dynamic') output.shape[0] = -1
  if (batch.kind === 'none' && output.shape[0] === -1 && found[0] !== 1) output.isList = true
}

/** Sets all options explicitly: the runtime's default pool pins itself outside the process's mask. */
async function createSession(request: LoadRequest, file: ModelFile) {
  const { path, threads, spinning, session } = request
  let externalData: ReturnType<typeof readExternalData> = []
  try {
    const rewritten = modelForCpu(path, file, rewritingsFor(session))
    externalData = readExternalData(path, file)
    const options = {
      executionProviders: ['cpu'],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      graphOptimizationLevel: session.graphOptimization,
      enableCpuMemArena: session.memoryArena,
      enableMemPattern: session.memoryPattern,
      logSeverityLevel: 4, // failures are thrown, so they need not be printed too
      extra: sessionEntries(session, spinning),
      externalData,
    } as InferenceSession.SessionOptions
    const { model, amxConvolutions = 0, stemInBlocks = false } = rewritten ?? {}
    const made = model ? InferenceSession.create(model, options) : InferenceSession.create(path, options)
    return { session: await made, amxConvolutions, stemInBlocks }
  } catch (error) {
    throw loadErrorOf(path, file, runtimeMessage(error))
  } finally {
    // an instance creates too little garbage to trigger a collection, so the weights would stay in memory twice
    for (const { data } of externalData) data.buffer.transfer(0)
  }
}

/** Blocks keep a convolution's answers only in 8 bits, and without these fusions the runtime computes it in floats. */
function rewritingsFor({ amx, spaceToDepth, graphOptimization, extra }: LoadRequest['session']) {
  const fuses = !['disabled', 'basic'].includes(graphOptimization) && !extra['session.disable_quant_qdq']
  return { amx, spaceToDepth: spaceToDepth && fuses }
}

/**
 * The runtime expects strings and joins the keys of nested objects with dots; keys that contain dots are passed as they
 * are.
 */
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
    if (error instanceof RangeError) throw new LoadError('MODEL_INVALID', notAModel(path, error))
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

type Side = 'input' | 'output'

function notATensor(side: Side, isList: boolean): string {
  if (isList) {
    const remedy =
      side === 'output'
        ? 'join it in the graph (ConcatFromSequence), or export the model without that output'
        : 'take one tensor and split it in the graph (SplitToSequence)'
    return `is a list of tensors, not one tensor; ${remedy}`
  }
  const ofClassifiers =
    " (of a classifier: options={'zipmap': False} in skl2onnx, or {LogisticRegression: {'zipmap': False}}, its own class, beside options of other steps; zipmap=False in onnxmltools)"
  return `is a sequence, a map or optional, not a tensor; export the model with tensors only${side === 'output' ? ofClassifiers : ''}`
}

function tensorInfoOf(metadata: InferenceSession.ValueMetadata, side: Side, file: ModelFile): TensorInfo {
  if (!metadata.isTensor) {
    throw new LoadError(
      'MODEL_UNSUPPORTED',
      `${side} ${metadata.name} ${notATensor(side, file.tensorLists.has(metadata.name))}`,
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
    dimensionNames: metadata.shape.map((size) => (typeof size === 'number' ? '' : size)),
  }
}
