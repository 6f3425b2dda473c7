/**
 * Keeps the front process, and what it starts that is no instance, off the instances' cores. A pinned process does not
 * see by its own mask what it may use: that is what the cpuset gives, within the mask that it had before.
 *
 * Modes: not pinned (`#pinned` empty: the process's mask is what was given to it) ⇄ pinned. Then a mask that is not
 * within `#pinned` was set by someone else, the kernel or an operator, and is what the process may use from then on.
 */
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { type Affinity, type KeptAffinity, keepAffinity, verifyAffinity } from '../instance/affinity.ts'
import { childrenOf, descendantsOf } from './child-processes.ts'
import { parseCpuList } from './cpu-list.ts'
import { moveProcess } from './move-process.ts'
import { readCpuListFile, readSysFile } from './sys-file.ts'
import { readTopology, type Topology } from './topology.ts'

/** What a user's module runs in. */
const moduleEntry = fileURLToPath(new URL('../adapter/room/room-main.ts', import.meta.url))

export class FrontPinning {
  /** What the plan says; none is anywhere. */
  #planned: readonly number[] = []
  /** What the mask was set to. */
  #pinned: readonly number[] = []
  /** Where the mask before was narrower than the cpuset. */
  #bound: readonly number[] | undefined
  /** While the mask is being set, it tells nothing. */
  #meanwhile: Topology | undefined
  #last: Promise<unknown> = Promise.resolve()

  get planned(): readonly number[] {
    return this.#planned
  }
  /** Of all threads of the front and what it started; `null` where the plan has no CPUs for it. */
  get affinity(): Affinity['kind'] | null {
    if (this.#planned.length === 0) return null
    const kinds = this.#processes().map((pid) => verifyAffinity(pid, this.#planned).kind)
    return kinds.find((kind) => kind === 'differs') ?? kinds[0]!
  }

  /** What the process might use if it were not pinned. */
  readTopology(): Topology {
    if (this.#meanwhile) return this.#meanwhile
    if (this.#pinned.length === 0) return readTopology()
    // before the cpuset, so that a CPU which the kernel takes in between is not one that an operator took
    const own = ownCpus()
    const open = readTopology({ affinity: 'any' })
    const bound = boundBeneath(this.#bound ?? open.allowedCpus, this.#pinned, own)
    this.#bound = narrower(bound, open)
    return { ...open, allowedCpus: open.allowedCpus.filter((cpu) => bound.includes(cpu)) }
  }

  /** Pins to these CPUs; where there are none, gives back what was there before. */
  pin(cpus: readonly number[]): Promise<KeptAffinity[]> {
    this.#planned = cpus
    return this.keep()
  }

  /** Moves what has left its CPUs back. */
  keep(): Promise<KeptAffinity[]> {
    const kept = this.#last.then(() => this.#keep())
    this.#last = kept.catch(() => undefined)
    return kept
  }

  async #keep(): Promise<KeptAffinity[]> {
    const planned = this.#planned
    if (planned.length === 0 && this.#pinned.length === 0) return []
    const now = this.readTopology()
    if (this.#pinned.length === 0) this.#bound = narrower(now.allowedCpus, readTopology({ affinity: 'any' }))
    this.#meanwhile = now
    try {
      if (!isDeepStrictEqual(planned, this.#pinned)) await this.#set(planned)
      return planned.length === 0 ? [] : await Promise.all(this.#processes().map((pid) => keepAffinity(pid, planned)))
    } finally {
      this.#meanwhile = undefined
    }
  }

  /**
   * Also where the mask is already the same: the kernel narrows it to the cpuset, remembers what it was set to, and
   * goes back to that when the cpuset grows.
   */
  async #set(planned: readonly number[]): Promise<void> {
    const target = planned.length > 0 ? planned : (this.#bound ?? possibleCpus())
    // those of modules come and go: they are verified, and moved again
    const [own] = await Promise.allSettled(this.#processes().map((pid) => moveProcess(pid, target)))
    // one that could not be moved is known by the mask that it has
    if (own!.status === 'fulfilled') this.#pinned = planned
  }

  /** The front, the processes of modules, and all beneath those. Instances have cores of their own. */
  #processes(): number[] {
    const modules = childrenOf(process.pid).filter((pid) => readSysFile(`/proc/${pid}/cmdline`)?.includes(moduleEntry))
    return [process.pid, ...modules.flatMap((pid) => [pid, ...descendantsOf(pid)])]
  }
}

/** What `before` is now that a process pinned to `pinned` is found on `own`. */
export function boundBeneath(before: readonly number[], pinned: readonly number[], own: readonly number[]): number[] {
  if (own.some((cpu) => !pinned.includes(cpu))) return [...own]
  return before.filter((cpu) => own.includes(cpu) || !pinned.includes(cpu))
}

const narrower = (cpus: readonly number[], { allowedCpus }: Topology) =>
  allowedCpus.some((cpu) => !cpus.includes(cpu)) ? cpus : undefined

function ownCpus(): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readSysFile('/proc/self/status') ?? '')?.[1]
  return parseCpuList(list ?? '')
}

/** Of which the kernel leaves those that the cpuset has, now and later. */
const possibleCpus = () =>
  readCpuListFile('/sys/devices/system/cpu/possible') ?? readTopology({ affinity: 'any' }).allowedCpus
