import type { Logger } from '../../runtime/logger.ts'
import { Counter, type Registry } from '../../runtime/metrics-registry.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { formatCpuList } from './cpu-list.ts'
import type { PlanWarning } from './cpu-plan.ts'
import { PlanError } from './plan-error.ts'
import type { CpuLimits } from './topology.ts'

interface WatchOptions {
  /** 0 disables the watch. */
  everyMs: Milliseconds
  read: () => CpuLimits
  /** The limits that the current plan was made for. */
  planned: () => CpuLimits
  /** Rejects with a `PlanError` if no plan fits, or with what else went wrong; the current plan then stays. */
  replan: () => Promise<void>
  /** Moves back what has left its CPUs. */
  keepPinned: () => Promise<void>
  registry: Registry
  logger: Logger
}

/** A move to other CPUs that failed. */
interface Failure {
  /** The change that it was to follow. */
  what: string
  why: string
  /** Doubles with each failure, because a move loads every model anew. */
  pause: number
  looksUntilRetry: number
}

const pauseMax = 64

interface CpuWatch {
  /** Non-empty while the available CPUs cannot be read, or differ from the planned ones after a failed move. */
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
    help: 'Changes to the CPUs, memory nodes or quota that the process may use, by result: replanned; failed, once for each try, and nothing changed',
    labelNames: ['result'],
    registers: [registry],
  })
  for (const result of ['replanned', 'failed']) changes.inc({ result }, 0)
  const reading = stateLog(logger, {
    failing: 'could not read which CPUs this process may use; this is checked again',
    over: 'the CPUs that this process may use can be read again',
  })
  const verifying = stateLog(logger, {
    failing: 'could not verify where the processes run; this is checked again',
    over: 'where the processes run can be verified again',
  })
  let failure: Failure | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const move = async (what: string) => {
    const before = failure?.what === what ? failure : undefined
    if (!before) logger.warn({ code: 'CPUS_CHANGED', what }, `the CPUs that this process may use have changed: ${what}`)
    try {
      await replan()
      failure = undefined
      changes.inc({ result: 'replanned' })
    } catch (error) {
      // the same CPUs give the same plan, but a file may return and a process may start the next time
      const isFinal = error instanceof PlanError
      const why = isFinal ? 'no plan fits them' : `the move failed: ${(error as Error).message}`
      const pause = before ? Math.min(before.pause * 2, pauseMax) : 1
      failure = { what, why, pause, looksUntilRetry: isFinal ? Number.POSITIVE_INFINITY : pause }
      changes.inc({ result: 'failed' })
      const outcome = isFinal
        ? 'no plan fits the CPUs as they are now; the instances stay where they are'
        : 'the instances could not be moved and stay where they are; this is tried again'
      logger.error({ err: error }, outcome)
    }
  }
  const look = async () => {
    try {
      const now = read()
      reading.works()
      const what = `${limitsOf(planned())} → ${limitsOf(now)}`
      if (limitsOf(now) === limitsOf(planned())) failure = undefined
      else if (failure?.what !== what || --failure.looksUntilRetry === 0) await move(what)
    } catch (error) {
      changes.inc({ result: 'failed' })
      reading.fails(error)
    }
    try {
      await keepPinned()
      verifying.works()
    } catch (error) {
      verifying.fails(error)
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
      const warnings: PlanWarning[] = []
      if (reading.problem !== undefined) {
        const message = `which CPUs this process may use cannot be read, so the instances stay where they are: ${reading.problem}`
        warnings.push({ code: 'CPUS_UNREADABLE', message })
      }
      if (failure !== undefined) {
        const { what, why } = failure
        const message = `the CPUs that this process may use have changed (${what}), and the instances stay where they were: ${why}`
        warnings.push({ code: 'CPUS_CHANGED', message })
      }
      return warnings
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}

/** Logs a problem when it begins, when its cause changes and when it is over, not at each look. */
function stateLog(logger: Logger, { failing, over }: { failing: string; over: string }) {
  let problem: string | undefined
  return {
    /** The message of the last failure; `undefined` once it works. */
    get problem() {
      return problem
    },
    fails(error: unknown): void {
      const { message } = error as Error
      if (message !== problem) logger.error({ err: error }, failing)
      problem = message
    },
    works(): void {
      if (problem !== undefined) logger.info(over)
      problem = undefined
    },
  }
}

const limitsOf = ({ allowedCpus, allowedMemoryNodes, quotaCpus }: CpuLimits) =>
  [
    `CPUs ${formatCpuList(allowedCpus)}`,
    quotaCpus === null ? 'no quota' : `quota ${quotaCpus}`,
    ...(allowedMemoryNodes ? [`memory nodes ${formatCpuList(allowedMemoryNodes)}`] : []),
  ].join(', ')
