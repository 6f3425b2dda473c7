import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { ModelConfig } from '../config/model.ts'
import type { LoadedModel } from '../instance/messages.ts'
import type { Adapter, AdapterModel, RunningAdapter } from './adapter.ts'
import { tokenizerPath } from './adapter-files.ts'
import { checkLabels } from './check-labels.ts'
import { predictionsOf } from './predictions.ts'
import { tensorAdapter } from './tensor.ts'
import { IsolatedAdapter } from './worker/isolated-adapter.ts'
import type { WorkerSetup } from './worker/worker-messages.ts'

interface AdapterContext {
  /** Path of the model file. */
  path: string
  limits: { imagePixelsMax: number; startTimeout: Milliseconds; runTimeout: Milliseconds }
  queue: { max: number }
  resolvePath: (path: string) => string
  isUnchanged: () => boolean
  logger: Logger
}

/** Throws an error with a remedy if the adapter does not suit the model. */
export async function createAdapter(
  config: ModelConfig,
  model: AdapterModel,
  warmUp: LoadedModel['warmUp'],
  context: AdapterContext,
): Promise<Adapter & Partial<RunningAdapter>> {
  const { image, text, adapter: kind } = config
  if (kind !== 'tensor' && kind !== 'image' && kind !== 'text') {
    return startIsolated(config, { kind: 'module', file: context.resolvePath(kind), model }, context)
  }
  checkLabels(model, warmUp)
  if (kind === 'tensor') return tensorAdapter
  const setup: WorkerSetup =
    kind === 'image'
      ? { kind, model, options: image ?? {}, pixelsMax: context.limits.imagePixelsMax }
      : { kind, model, options: text ?? {}, tokenizerPath: tokenizerPath(config, context.path, context.resolvePath) }
  const isolated = await startIsolated(config, setup, context)
  return {
    toTensors: (request, model, turn) => isolated.toTensors(request, model, turn),
    toResponse: predictionsOf,
    stop: () => isolated.stop(),
  }
}

const startIsolated = (
  { name, adapter }: ModelConfig,
  setup: WorkerSetup,
  { limits, queue, isUnchanged, logger }: AdapterContext,
): Promise<IsolatedAdapter> =>
  IsolatedAdapter.start({
    title: `adapter ${adapter} of ${name}`,
    setup,
    callsMax: queue.max,
    isUnchanged,
    callTimeoutMs: limits.runTimeout,
    startTimeoutMs: limits.startTimeout,
    logger,
  })
