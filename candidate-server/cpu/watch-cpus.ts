import type { Logger } from '../../runtime/logger.ts'
import { Counter, type Registry } from '../../runtime/metrics-registry.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { formatCpuList } from './cpu-list.ts'
import type { PlanWarning } from './cpu-plan.ts'
import type { Topology } from './topology.ts'

interface WatchOptions {
  /** 0 disables the watch. */
  everyMs: Milliseconds
  read: () => Topology
  /** The topology that the current plan was made for. */
  planned: () => Topology
  /** Rejects if no plan fits; the current one then stays. */
  replan: () => Promise<void>
  /** Moves back what has left its CPUs. */
  keepPinned: () => Promise<void>
  registry: Registry
  logger: Logger
}

interface CpuWatch {
  /** Non-empty while the available CPUs differ from the planned ones and no plan fits. */
  readonly warnings: PlanWarning[]
  stop(): void
}

/**
 * Watches the CPUs available to the process. A shared pool's cpuset may shrink or grow while a pod runs, and a quota
 * can change in place; the instances then move to a plan that fits. A change may also undo the pinning without
 * affecting the plan, so each pass verifies the pinning too.
 */
export function watchCpus({ everyMs, read, planned, replan, keepPinned, registry, logger }: WatchOptions): CpuWatch {
  const changes = new Counter({
    name: 'understudy_candidate_cpu_changes_total',
    help: 'Changes to the CPUs, memory nodes or quota that the process may use, by result: replanned, or failed and nothing changed',
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
      // after a failure, retries only once the CPUs have changed again
      if (differs && what !== failedFor) {
        logger.warn({ code: 'CPUS_CHANGED', what }, `the CPUs that this process may use have changed: ${what}`)
        failedFor = what
        await replan()
        changes.inc({ result: 'replanned' })
      }
      // skips the reading unless needed: it costs a file or two per CPU while requests wait
      if (failedFor !== undefined && limitsOf(read()) === limitsOf(planned())) failedFor = undefined
    } catch (error) {
      changes.inc({ result: 'failed' })
      logger.error({ err: error }, 'no plan fits the CPUs as they are now; the instances stay where they are')
    }
    try {
      await keepPinned()
    } catch (error) {
      logger.error({ err: error }, 'could not verify where the processes run; this is checked again')
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
