import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { ModelConfig } from '../config/model.ts'
import type { LoadedModel } from '../instance/messages.ts'
import type { AdapterModel } from './adapter.ts'
import { isModule, tokenizerPath } from './adapter-files.ts'
import { checkLabels } from './check-labels.ts'
import { IsolatedAdapter } from './worker/isolated-adapter.ts'
import type { WorkerSetup } from './worker/worker-messages.ts'

interface AdapterContext {
  limits: { imagePixelsMax: number; startTimeout: Milliseconds; runTimeout: Milliseconds }
  queue: { max: number }
  resolvePath: (path: string) => string
  isUnchanged: () => boolean
  logger: Logger
}

/**
 * Starts the model's adapter; `undefined` for `tensor`, which the front does itself. Throws an error with a remedy if the
 * adapter does not suit the model.
 */
export async function createAdapter(
  config: ModelConfig,
  model: AdapterModel,
  warmUp: LoadedModel['warmUp'],
  context: AdapterContext,
): Promise<IsolatedAdapter | undefined> {
  const { name, adapter } = config
  if (!isModule(adapter)) checkLabels(model, warmUp)
  if (adapter === 'tensor') return undefined
  const { limits, queue, isUnchanged, logger } = context
  return IsolatedAdapter.start({
    title: `adapter ${adapter} of ${name}`,
    setup: setupOf(config, model, context),
    callsMax: queue.max,
    isUnchanged,
    callTimeoutMs: limits.runTimeout,
    startTimeoutMs: limits.startTimeout,
    logger,
  })
}

function setupOf(config: ModelConfig, model: AdapterModel, context: AdapterContext): WorkerSetup {
  const { adapter: kind, image = {}, text = {} } = config
  const { limits, resolvePath } = context
  if (kind === 'image') return { kind, model, options: image, pixelsMax: limits.imagePixelsMax }
  if (kind === 'text')
    return { kind, model, options: text, tokenizerPath: tokenizerPath(config, model.path, resolvePath) }
  return { kind: 'module', file: resolvePath(kind), model }
}
