import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import { readSysFile } from '../cpu/sys-file.ts'

export interface RunLimits {
  timeoutMs: Milliseconds
  /** Resident memory of the process during a run. */
  rssBytesMax: Bytes | 'none'
}

export type RunLimit = 'limits.runTimeout' | 'limits.runRssMax'

const lookEveryMs = 100

/**
 * Watches one process. A run cannot be interrupted, so a run that exceeds a limit is ended together with its process.
 */
export class RunWatch {
  readonly #limits: RunLimits
  readonly #onOver: (limit: RunLimit) => void
  /** Set while a run is in progress. */
  #late: NodeJS.Timeout | undefined
  /** Continues across consecutive runs, because many short ones can grow memory as much as one long run. */
  #looks: NodeJS.Timeout | undefined

  constructor(limits: RunLimits, onOver: (limit: RunLimit) => void) {
    this.#limits = limits
    this.#onOver = onOver
  }

  beginRun(pid: number): void {
    const { timeoutMs, rssBytesMax } = this.#limits
    this.#late = setTimeout(() => this.#over('limits.runTimeout'), timeoutMs)
    if (rssBytesMax !== 'none') this.#looks ??= setInterval(() => this.#look(pid, rssBytesMax), lookEveryMs)
  }

  endRun(): void {
    clearTimeout(this.#late)
    this.#late = undefined
  }

  end(): void {
    this.endRun()
    clearInterval(this.#looks)
    this.#looks = undefined
  }

  #look(pid: number, rssBytesMax: Bytes): void {
    if (!this.#late) this.end()
    else if (residentBytes(pid) > rssBytesMax) this.#over('limits.runRssMax')
  }

  #over(limit: RunLimit): void {
    this.end()
    this.#onOver(limit)
  }
}

/** 0 if the kernel does not say. */
function residentBytes(pid: number): Bytes {
  const [, kibibytes = '0'] = /^VmRSS:\s*(\d+) kB$/m.exec(readSysFile(`/proc/${pid}/status`) ?? '') ?? []
  return Number(kibibytes) * 1024
}
