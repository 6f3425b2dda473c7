import { dirname, resolve } from 'node:path'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { ModelConfig } from '../config.ts'
import type { LoadedModel } from '../instance/messages.ts'
import type { Adapter, AdapterModel, RunningAdapter } from './adapter.ts'
import { checkLabels } from './check-labels.ts'
import { predictionsOf } from './predictions.ts'
import { tensorAdapter } from './tensor.ts'
import type { ThreadSetup } from './thread-messages.ts'
import { ThreadedAdapter } from './threaded-adapter.ts'

export interface AdapterContext {
  /** Of the model's file. */
  path: string
  limits: { imagePixelsMax: number; startTimeout: Milliseconds; runTimeout: Milliseconds }
  queue: { max: number }
  resolvePath: (path: string) => string
  logger: Logger
}

/** Throws an error that says what to do where the adapter does not suit the model. */
export async function createAdapter(
  config: ModelConfig,
  model: AdapterModel,
  warmUp: LoadedModel['warmUp'],
  context: AdapterContext,
): Promise<Adapter & Partial<RunningAdapter>> {
  checkOptions(config)
  const { image, text, adapter: kind } = config
  if (kind !== 'tensor' && kind !== 'image' && kind !== 'text') {
    return startThread(config, { kind: 'module', file: context.resolvePath(kind), model }, context)
  }
  checkLabels(model, warmUp)
  if (kind === 'tensor') return tensorAdapter
  const setup: ThreadSetup =
    kind === 'image'
      ? { kind, model, options: image ?? {}, pixelsMax: context.limits.imagePixelsMax }
      : { kind, model, options: text ?? {}, tokenizerPath: tokenizerPath(config, context) }
  const thread = await startThread(config, setup, context)
  return {
    toTensors: (request) => thread.toTensors(request),
    toResponse: predictionsOf,
    stop: () => thread.stop(),
  }
}

/** Options that nothing heeds are a mistake. */
function checkOptions({ name, adapter, image, text }: ModelConfig): void {
  for (const [key, options] of Object.entries({ image, text })) {
    if (options !== undefined && adapter !== key) {
      throw new Error(`model ${name}: the options ${key}: are for adapter: ${key}, and its adapter is ${adapter}`)
    }
  }
}

const tokenizerPath = ({ text }: ModelConfig, { path, resolvePath }: AdapterContext) =>
  text?.tokenizer === undefined ? resolve(dirname(path), 'tokenizer.json') : resolvePath(text.tokenizer)

const startThread = (
  { name, adapter }: ModelConfig,
  setup: ThreadSetup,
  { limits, queue, logger }: AdapterContext,
): Promise<ThreadedAdapter> =>
  ThreadedAdapter.start({
    title: `adapter ${adapter} of ${name}`,
    setup,
    callsMax: queue.max,
    callTimeoutMs: limits.runTimeout,
    startTimeoutMs: limits.startTimeout,
    logger,
  })
