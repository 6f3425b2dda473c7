import type { Logger } from '../../runtime/logger.ts'
import { Counter, type Registry } from '../../runtime/metrics-registry.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { formatCpuList } from './cpu-list.ts'
import type { PlanWarning } from './cpu-plan.ts'
import type { Topology } from './topology.ts'

interface WatchOptions {
  /** 0 is never. */
  everyMs: Milliseconds
  read: () => Topology
  /** What the plan in force was made for. */
  planned: () => Topology
  /** Rejects where no plan fits; the one in force then stays. */
  replan: () => Promise<void>
  /** Moves back what has left its CPUs. */
  keepPinned: () => Promise<void>
  registry: Registry
  logger: Logger
}

interface CpuWatch {
  /** That the CPUs are others than planned, while they are. */
  readonly warnings: PlanWarning[]
  stop(): void
}

/**
 * A shared pool's cpuset shrinks and grows while a pod runs, and a quota can be changed in place: the instances then
 * move to a plan that fits. One that changes nothing of the plan may still have undone the pinning, which each look
 * therefore verifies.
 */
export function watchCpus({ everyMs, read, planned, replan, keepPinned, registry, logger }: WatchOptions): CpuWatch {
  const changes = new Counter({
    name: 'understudy_candidate_cpu_changes_total',
    help: 'Changes of the CPUs, the memory nodes or the quota that the process may use, by result: replanned, or failed and nothing changed',
    labelNames: ['result'],
    registers: [registry],
  })
  for (const result of ['replanned', 'failed']) changes.inc({ result }, 0)
  let failedFor: string | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const look = async () => {
    try {
      const now = read()
      const what = `${limitsOf(planned())} → ${limitsOf(now)}`
      const differs = limitsOf(now) !== limitsOf(planned())
      // what could not be planned is tried again only once it is different
      if (differs && what !== failedFor) {
        logger.warn({ code: 'CPUS_CHANGED', what }, `the CPUs that this process may use have changed: ${what}`)
        failedFor = what
        await replan()
        changes.inc({ result: 'replanned' })
      }
      // each reading is a file or two for every CPU, while requests wait
      if (failedFor !== undefined && limitsOf(read()) === limitsOf(planned())) failedFor = undefined
    } catch (error) {
      changes.inc({ result: 'failed' })
      logger.error({ err: error }, 'no plan fits the CPUs as they are now; the instances stay where they are')
    }
    try {
      await keepPinned()
    } catch (error) {
      logger.error({ err: error }, 'where the processes run could not be verified, and is looked at again')
    }
    if (!stopped) schedule()
  }
  const schedule = () => {
    timer = setTimeout(() => void look(), everyMs)
    timer.unref()
  }
  if (everyMs > 0) schedule()
  return {
    get warnings() {
      if (failedFor === undefined) return []
      const message = `the CPUs that this process may use have changed (${failedFor}) and no plan fits them; the instances stay where they were`
      return [{ code: 'CPUS_CHANGED' as const, message }]
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}

const limitsOf = ({ allowedCpus, allowedMemoryNodes, quotaCpus }: Topology) =>
  [
    `CPUs ${formatCpuList(allowedCpus)}`,
    quotaCpus === null ? 'no quota' : `quota ${quotaCpus}`,
    ...(allowedMemoryNodes ? [`memory nodes ${formatCpuList(allowedMemoryNodes)}`] : []),
  ].join(', ')
