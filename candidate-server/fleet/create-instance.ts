import type { ModelConfig } from '../config/model.ts'
import { findLauncher } from '../instance/launcher.ts'
import type { LoadRequest } from '../instance/messages.ts'
import { PinnedInstance, type Placement } from '../instance/pinned-instance.ts'
import { batchOfGroup } from './batch-limits.ts'
import type { ModelContext } from './model-context.ts'
import { unboundMemory } from './unbound-memory.ts'

/** Creates an instance for its placement without starting it. `model.path` is where the file was found. */
export async function createInstance(
  model: ModelConfig,
  placed: Placement,
  { config: { cpu, limits }, topology, allocator, clock, logger }: ModelContext,
  onChange: () => void,
): Promise<PinnedInstance> {
  const launcher = await findLauncher(placed)
  const whose = { model: model.name, planned: placed.cpus }
  const unbound = unboundMemory(launcher, placed, topology)
  if (launcher.kind === 'unpinned') {
    logger.warn(
      { code: 'UNPINNED', ...whose },
      'neither numactl nor taskset works here, so latency will suffer; on Linux, install numactl',
    )
  } else if (unbound) logger.warn({ code: 'MEMORY_UNBOUND', ...whose }, `an instance ${unbound}`)
  const load: Omit<LoadRequest, 'exchange'> = {
    path: model.path,
    threads: placed.threads,
    spinning: placed.spinning,
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
    recycle: limits,
    clock,
    logger,
    onChange,
  })
}
