import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { CandidateServerConfig } from '../config.ts'
import type { Allocator } from '../instance/allocator.ts'

/** What all models are started with. */
export interface ModelContext {
  config: CandidateServerConfig
  allocator: Allocator
  /** Folders that relative model and adapter paths are looked for in. */
  folders: readonly string[]
  clock: Clock
  logger: Logger
}

/** Of the whole config, what a model's processes and queues are made with. */
export function settingsOf({ config, allocator }: Pick<ModelContext, 'config' | 'allocator'>) {
  const { hugePages, spinning } = config.cpu
  const { startTimeout, runTimeout, runRssMax, recycleAfter, rssMax, imagePixelsMax, rowsMax, outputMax } =
    config.limits
  const limits = { startTimeout, runTimeout, runRssMax, recycleAfter, rssMax, imagePixelsMax, rowsMax, outputMax }
  return { allocator, hugePages, spinning, queue: config.queue, limits }
}
