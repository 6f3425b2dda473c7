import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { CandidateServerConfig } from '../config.ts'
import type { Topology } from '../cpu/topology.ts'
import type { Allocator } from '../instance/allocator.ts'

/** What every model needs in order to start. */
export interface ModelContext {
  config: CandidateServerConfig
  topology: Topology
  allocator: Allocator
  /** Folders searched for relative model and adapter paths. */
  folders: readonly string[]
  clock: Clock
  logger: Logger
}

/** The server-wide settings that a model's processes and queues depend on. */
export function settingsOf({ config, allocator }: Pick<ModelContext, 'config' | 'allocator'>) {
  const { startTimeout, runTimeout, runRssMax, recycleAfter, rssMax, imagePixelsMax, rowsMax, outputMax } =
    config.limits
  const limits = { startTimeout, runTimeout, runRssMax, recycleAfter, rssMax, imagePixelsMax, rowsMax, outputMax }
  return { allocator, hugePages: config.cpu.hugePages, queue: config.queue, limits }
}
