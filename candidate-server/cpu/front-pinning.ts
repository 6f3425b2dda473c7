/**
 * Keeps the front process and its children, except instances, off the instances' cores. Once pinned, a process's mask
 * no longer tells which CPUs it may use: those are the cpuset's CPUs, within the mask that it had before pinning.
 *
 * Modes: not pinned (`#pinned` is empty, and the mask is the one the process was given) ⇄ pinned. If the mask of a
 * pinned process is not within `#pinned`, the kernel or an operator has set it, and it becomes the new bound.
 */
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { type Affinity, type KeptAffinity, keepAffinity, moveProcess, verifyAffinity } from './affinity.ts'
import { childrenOf, descendantsOf } from './child-processes.ts'
import { parseCpuList } from './cpu-list.ts'
import { readCpuListFile, readSysFile } from './sys-file.ts'
import { type CpuLimits, readCpuLimits, readTopology, type Topology } from './topology.ts'

/** The entry point of the processes that run users' modules. */
const moduleEntry = fileURLToPath(new URL('../adapter/worker/worker-main.ts', import.meta.url))

export class FrontPinning {
  /** The CPUs that the plan leaves for the front; empty means any. */
  #planned: readonly number[] = []
  /** The mask that was set. */
  #pinned: readonly number[] = []
  /** The mask before pinning, if it was narrower than the cpuset. */
  #bound: readonly number[] | undefined
  /** Used while the mask is being set, when reading it would be misleading. */
  #meanwhile: CpuLimits | undefined
  #last: Promise<unknown> = Promise.resolve()

  get planned(): readonly number[] {
    return this.#planned
  }
  /** The state of all threads of the front and the module processes; `null` if the plan has no CPUs for the front. */
  get affinity(): Affinity['kind'] | null {
    if (this.#planned.length === 0) return null
    const kinds = this.#processes().map((pid) => verifyAffinity(pid, this.#planned).kind)
    return kinds.find((kind) => kind === 'differs') ?? kinds[0]!
  }

  /** The topology that the process would see if it were not pinned. */
  readTopology(): Topology {
    return { ...readTopology({ affinity: 'any' }), ...this.readLimits() }
  }

  /** The limits that the process would see if it were not pinned. */
  readLimits(): CpuLimits {
    if (this.#meanwhile) return this.#meanwhile
    if (this.#pinned.length === 0) return readCpuLimits()
    // read before the cpuset, so that a CPU removed by the kernel in between is not mistaken for an operator's change
    const own = ownCpus()
    const open = readCpuLimits({ affinity: 'any' })
    const bound = boundBeneath(this.#bound ?? open.allowedCpus, this.#pinned, own)
    this.#bound = narrower(bound, open)
    return { ...open, allowedCpus: open.allowedCpus.filter((cpu) => bound.includes(cpu)) }
  }

  /** Pins to these CPUs; an empty list restores the mask from before. */
  pin(cpus: readonly number[]): Promise<KeptAffinity[]> {
    this.#planned = cpus
    return this.keep()
  }

  /** Moves processes that have left their CPUs back. */
  keep(): Promise<KeptAffinity[]> {
    const kept = this.#last.then(() => this.#keep())
    this.#last = kept.catch(() => undefined)
    return kept
  }

  async #keep(): Promise<KeptAffinity[]> {
    const planned = this.#planned
    if (planned.length === 0 && this.#pinned.length === 0) return []
    const now = this.readLimits()
    if (this.#pinned.length === 0) this.#bound = narrower(now.allowedCpus, readCpuLimits({ affinity: 'any' }))
    this.#meanwhile = now
    try {
      if (!isDeepStrictEqual(planned, this.#pinned)) await this.#set(planned)
      return planned.length === 0 ? [] : await Promise.all(this.#processes().map((pid) => keepAffinity(pid, planned)))
    } finally {
      this.#meanwhile = undefined
    }
  }

  /**
   * Sets the mask even if it looks the same: the kernel narrows a mask to the cpuset, but remembers what was requested
   * and restores it when the cpuset grows.
   */
  async #set(planned: readonly number[]): Promise<void> {
    const target = planned.length > 0 ? planned : (this.#bound ?? possibleCpus())
    // module processes come and go; they are verified and moved again later
    const [own] = await Promise.allSettled(this.#processes().map((pid) => moveProcess(pid, target)))
    // if the front could not be moved, its actual mask remains the reference
    if (own!.status === 'fulfilled') this.#pinned = planned
  }

  /** The front, the module processes and all their descendants. Instances have cores of their own. */
  #processes(): number[] {
    const modules = childrenOf(process.pid).filter((pid) => readSysFile(`/proc/${pid}/cmdline`)?.includes(moduleEntry))
    return [process.pid, ...modules.flatMap((pid) => [pid, ...descendantsOf(pid)])]
  }
}

/** Updates the bound `before` after a process that was pinned to `pinned` is found running on `own`. */
export function boundBeneath(before: readonly number[], pinned: readonly number[], own: readonly number[]): number[] {
  if (own.some((cpu) => !pinned.includes(cpu))) return [...own]
  return before.filter((cpu) => own.includes(cpu) || !pinned.includes(cpu))
}

const narrower = (cpus: readonly number[], { allowedCpus }: CpuLimits) =>
  allowedCpus.some((cpu) => !cpus.includes(cpu)) ? cpus : undefined

function ownCpus(): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readSysFile('/proc/self/status') ?? '')?.[1]
  return parseCpuList(list ?? '')
}

/** All CPUs the kernel could have; it applies only those in the cpuset, now and whenever that changes. */
const possibleCpus = () =>
  readCpuListFile('/sys/devices/system/cpu/possible') ?? readCpuLimits({ affinity: 'any' }).allowedCpus
