import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/logger.ts'
import { digestWithAdapter } from './adapter/adapter-files.ts'
import { createAdapter } from './adapter/create-adapter.ts'
import type { BatchLimits } from './batch/request-queue.ts'
import type { CandidateServerConfig, ModelConfig } from './config.ts'
import type { PlanWarning } from './cpu/cpu-plan.ts'
import { isaFlags } from './cpu/isa-flags.ts'
import type { ModelInstance } from './cpu/plan-models.ts'
import type { ServedAdapter } from './http/front.ts'
import type { Allocator } from './instance/allocator.ts'
import { findLauncher } from './instance/launcher.ts'
import type { LoadedModel, LoadRequest } from './instance/messages.ts'
import { PinnedInstance } from './instance/pinned-instance.ts'
import { InferenceStatistics } from './model/inference-statistics.ts'
import { batchDimensionOf, formatShape } from './model/model-info.ts'
import { ServedModel } from './model/served-model.ts'

export interface ModelContext {
  config: CandidateServerConfig
  allocator: Allocator
  /** Folders that relative model and adapter paths are looked for in. */
  folders: readonly string[]
  clock: Clock
  logger: Logger
}

/** One version of a model with its processes. */
export interface RunningModel extends ServedAdapter {
  /** What it was made of: another one made of the same would be no different. */
  made: { model: ModelConfig; placements: ModelInstance[]; settings: unknown }
  path: string
  warnings: PlanWarning[]
  stop(): Promise<void>
}

const defaultBatchSize = 8

/** Of the whole config, what a model's processes and queues are made with. */
export function settingsOf({ config, allocator }: Pick<ModelContext, 'config' | 'allocator'>) {
  const { hugePages, spinning } = config.cpu
  const { startTimeout, runTimeout, runRssMax, recycleAfter, rssMax, imagePixelsMax, rowsMax, outputMax } =
    config.limits
  const limits = { startTimeout, runTimeout, runRssMax, recycleAfter, rssMax, imagePixelsMax, rowsMax, outputMax }
  return { allocator, hugePages, spinning, queue: config.queue, limits }
}

/** Rejects with an error that says what to do; nothing is then left running. */
export async function startModel(
  model: ModelConfig,
  placements: ModelInstance[],
  context: ModelContext,
): Promise<RunningModel> {
  const path = findFile(model.path, context.folders)
  let served: ServedModel | undefined
  let adapter: Awaited<ReturnType<typeof createAdapter>> | undefined
  const instances = await Promise.all(
    placements.map((placed) => createInstance(model, path, placed, context, () => served?.pump())),
  )
  const stop = async () => {
    await Promise.all([adapter?.stop?.(), ...instances.map((instance) => instance.stop())])
  }
  try {
    const all = await Promise.all(instances.map((instance) => instance.start()))
    const [own, ...others] = all
    if (others.some(({ digest }) => digest !== own!.digest)) {
      throw new Error(`model ${model.name}: ${path} has changed between its instances; load it once it is whole`)
    }
    const resolvePath = (file: string) => findFile(file, context.folders)
    const digestNow = () => digestWithAdapter(own!.digest, model, path, resolvePath)
    // groups without batches have not looked for it
    const mixesRows = [true, false].find((found) => all.some((one) => one.mixesRows === found))
    const loaded = { ...own!, mixesRows, digest: digestNow() }
    const batch = batchLimits(model, loaded)
    const described = { ...loaded.info, name: model.name, version: model.version, labels: model.labels }
    adapter = await createAdapter(model, described, loaded.warmUp, {
      path,
      limits: context.config.limits,
      queue: context.config.queue,
      resolvePath,
      isUnchanged: () => digestNow() === loaded.digest,
      logger: context.logger,
    })
    checkDispatch(model, loaded)
    served = new ServedModel({
      name: model.name,
      version: model.version,
      loaded,
      instances,
      batch,
      dispatch: model.dispatch,
      queue: { max: context.config.queue.max, timeoutMs: context.config.queue.timeout },
      rowsMax: context.config.limits.rowsMax,
      statistics: new InferenceStatistics(context.clock),
      clock: context.clock,
      logger: context.logger,
    })
    const warnings = int8Warnings(model, loaded)
    logLoaded(model, served, warnings, context)
    const made = { model, placements, settings: settingsOf(context) }
    return { served, adapter, model: described, made, path, warnings, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The first of the folders that has it; an absolute path as it is. */
export function findFile(path: string, folders: readonly string[]): string {
  if (isAbsolute(path)) return path
  const places = folders.map((folder) => resolve(folder, path))
  return places.find((place) => existsSync(place)) ?? places[0]!
}

async function createInstance(
  model: ModelConfig,
  path: string,
  placed: ModelInstance,
  { config: { cpu, limits }, allocator, clock, logger }: ModelContext,
  onChange: () => void,
): Promise<PinnedInstance> {
  const launcher = await findLauncher(placed)
  if (launcher.kind === 'unpinned') {
    logger.warn(
      { model: model.name, cpus: placed.cpus },
      'UNPINNED: neither numactl nor taskset works here, so latency will suffer; install numactl',
    )
  }
  const load: Omit<LoadRequest, 'exchange'> = {
    path,
    threads: placed.threads,
    spinning: spinningOf(cpu.spinning, placed),
    session: model.session,
    warmUp: {
      rows: batchOfGroup(model, placed.group).sizeMax,
      length: model.dispatch?.by === 'length' ? (model.dispatch.groups[placed.group]!.upTo ?? 1) : 1,
    },
  }
  return new PinnedInstance({
    placed,
    load,
    launcher,
    allocator,
    hugePages: cpu.hugePages,
    startTimeoutMs: limits.startTimeout,
    runLimits: { timeoutMs: limits.runTimeout, rssBytesMax: limits.runRssMax },
    outputBytesMax: limits.outputMax,
    wear: limits,
    clock,
    logger,
    onChange,
  })
}

/**
 * Between runs a busy thread takes its core from the front, which has the next run to bring: INT8 ResNet-50 with two
 * threads answers 5 % more without, and within its runs it has need of it.
 */
function spinningOf(asked: 'auto' | boolean, { shared }: ModelInstance): LoadRequest['spinning'] {
  if (asked === 'auto') return shared ? 'never' : 'withinRuns'
  return asked ? 'always' : 'never'
}

function batchOfGroup({ batch, dispatch }: ModelConfig, group: number): BatchLimits {
  const own = dispatch?.groups[group]?.batch
  return {
    sizeMax: own?.sizeMax ?? batch.sizeMax ?? defaultBatchSize,
    delayMaxMs: own?.delayMax ?? batch.delayMax,
  }
}

/** One for each group. Throws where batches were asked for that the model's inputs have no room for. */
function batchLimits(model: ModelConfig, { info }: LoadedModel): BatchLimits[] {
  const groups = model.dispatch?.groups ?? [{ batch: undefined }]
  for (const { batch } of groups) {
    const asked = batch?.sizeMax ?? model.batch.sizeMax ?? 1
    if (info.batch.kind === 'fixed' && asked > info.batch.size) {
      throw new Error(
        `model ${model.name}: batch.sizeMax is ${asked}, and the first dimension of its inputs is fixed at ${info.batch.size}; export it with a dynamic first dimension (torch.onnx.export: dynamic_shapes), or set batch.sizeMax: ${info.batch.size}`,
      )
    }
    if (info.batch.kind === 'none' && asked > 1) {
      const [inputs, outputs] = [info.inputs, info.outputs].map((all) =>
        all.map(({ name, shape }) => `${name} ${formatShape(shape)}`).join(', '),
      )
      const isDynamic = batchDimensionOf(info.inputs, info.outputs).kind === 'dynamic'
      const wayOut = isDynamic
        ? ''
        : 'export it with one dynamic first dimension of all of them (torch.onnx.export: dynamic_shapes), or '
      throw new Error(
        `model ${model.name}: batch.sizeMax is ${asked}, and requests cannot share a batch: its outputs have not one row for each row of its inputs (${inputs || 'none'} → ${outputs}); ${wayOut}leave batch.sizeMax out`,
      )
    }
  }
  return groups.map((_, g) => batchOfGroup(model, g))
}

function checkDispatch({ name, dispatch }: ModelConfig, { info: { inputs } }: LoadedModel): void {
  if (!dispatch || dispatch.by === 'elements') return
  const input = dispatch.input === undefined ? inputs[0] : inputs.find((one) => one.name === dispatch.input)
  if (!input) {
    throw new Error(
      inputs.length === 0
        ? `model ${name}: dispatch.by is length, and it has no inputs; leave dispatch out`
        : `model ${name}: dispatch.input is ${dispatch.input}, which it has not; it has ${inputs.map((one) => one.name).join(', ')}`,
    )
  }
  if (input.shape.length < 2) {
    throw new Error(
      `model ${name}: dispatch.by is length, and ${input.name} has no second dimension; dispatch by elements`,
    )
  }
}

/** Without these instructions the runtime adds pairs of products in 16 bits, which saturate. */
function int8Warnings({ name, session }: ModelConfig, { int8 }: LoadedModel): PlanWarning[] {
  const flags = isaFlags()
  const known = process.arch === 'x64' && flags.length > 0
  const exact =
    flags.some((flag) => flag.endsWith('vnni') || flag === 'amx_int8') || session.extra['session.x64quantprecision']
  if (!known || exact || int8 !== 'U8S8') return []
  return [
    {
      code: 'INT8_WITHOUT_VNNI',
      message: `${name} has unsigned activations and signed weights, and this CPU no VNNI: its sums saturate, so it answers otherwise than on a CPU that has; quantize with reduce_range or unsigned weights, or set session.extra: { session.x64quantprecision: true }`,
    },
  ]
}

function logLoaded(model: ModelConfig, served: ServedModel, warnings: PlanWarning[], { logger }: ModelContext): void {
  const { info, digest, quantization, mixesRows, int8, amxConvolutions, stemInBlocks, opset, runtimeVersion, warmUp } =
    served.loaded
  const { name, version } = model
  logger.info(
    {
      model: name,
      version,
      digest,
      opset,
      quantization,
      int8,
      amxConvolutions,
      stemInBlocks,
      runtimeVersion,
      warmUp,
      inputs: info.inputs,
      outputs: info.outputs,
      batching: served.batching,
    },
    'model loaded',
  )
  for (const { code, message } of warnings) logger.warn({ model: name, code }, message)
  for (const { affinity, placed, pid } of served.instances) {
    if (affinity.kind !== 'differs') continue
    logger.warn(
      { model: name, instancePid: pid, planned: placed.cpus, actual: affinity.cpus },
      'AFFINITY_DIFFERS: an instance runs outside its cores',
    )
  }
  if (warmUp.kind === 'refused') {
    logger.warn(
      { model: name, reason: warmUp.message },
      'the model refuses zeros of the sizes that were tried: it was not warmed up',
    )
  }
  const mixing =
    quantization === 'dynamic'
      ? 'dynamic quantization takes its range from the whole batch'
      : mixesRows &&
        'a row was answered otherwise beside others than beside rows like it (by a first dimension that is the time, a Softmax over it, a maximum of all rows, BatchNormalization in training mode?)'
  if (mixing && (model.batch.sizeMax ?? defaultBatchSize) > 1) {
    logger.warn({ model: name }, `${mixing}, so answers would depend on their neighbours: batching is off`)
  }
  if (warmUp.kind === 'done' && mixesRows === undefined && served.batchSizeMax > 1) {
    logger.warn(
      { model: name },
      'the model refuses all rows but zeros that were tried: whether answers depend on their neighbours is not known, and they share batches',
    )
  }
}
