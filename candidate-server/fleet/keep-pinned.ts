import { setImmediate } from 'node:timers/promises'
import type { Logger } from '../../runtime/logger.ts'
import { Counter, type Registry } from '../../runtime/metrics-registry.ts'
import type { KeptAffinity } from '../cpu/affinity.ts'
import type { FrontPinning } from '../cpu/front-pinning.ts'
import type { PinnedInstance } from '../instance/pinned-instance.ts'

interface PinKeeperOptions {
  instances: () => readonly PinnedInstance[]
  front: FrontPinning | undefined
  registry: Registry
  logger: Logger
}

/** Verifies every thread of the instances and the front against the plan, and moves back those that have left it. */
export function createPinKeeper({ instances, front, registry, logger }: PinKeeperOptions): () => Promise<void> {
  const movedBack = new Counter({
    name: 'understudy_candidate_moved_back_total',
    help: 'Processes found off their CPUs, by kind (instance, front) and result: moved back, or failed',
    labelNames: ['kind', 'result'],
    registers: [registry],
  })
  for (const kind of ['instance', 'front']) {
    for (const result of ['moved back', 'failed']) movedBack.inc({ kind, result }, 0)
  }
  /** So that each failure is logged once, not on every pass. */
  const failing = new Set<string>()

  const tell = (kind: 'instance' | 'front', whose: object, { found, now, moved, problem }: KeptAffinity) => {
    const what = JSON.stringify(whose)
    if (now.kind !== 'differs') failing.delete(what)
    if (!moved) return
    movedBack.inc({ kind, result: now.kind === 'differs' ? 'failed' : 'moved back' })
    const told = { code: 'AFFINITY_DIFFERS', ...whose, found: found.kind === 'differs' ? found.cpus : undefined }
    if (now.kind !== 'differs') logger.warn(told, `a process of the ${kind} was found off its CPUs and was moved back`)
    else if (!failing.has(what)) {
      failing.add(what)
      logger.error({ ...told, problem }, `a process of the ${kind} is off its CPUs and cannot be moved back`)
    }
  }

  return async () => {
    for (const instance of instances()) {
      const { placed, pid } = instance
      const kept = await instance.keepPinned()
      if (kept) tell('instance', { model: placed.model, instancePid: pid, planned: placed.cpus }, kept)
      // large machines have hundreds of threads to read, so requests are served in between
      await setImmediate()
    }
    for (const kept of (await front?.keep()) ?? []) tell('front', { planned: front?.planned }, kept)
  }
}
