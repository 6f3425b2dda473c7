import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import { readSysFile } from '../cpu/sys-file.ts'

export interface RunLimits {
  timeoutMs: Milliseconds
  /** Of its process, while it lasts. */
  rssBytesMax: Bytes | 'none'
}

export type RunLimit = 'limits.runTimeout' | 'limits.runRssMax'

const lookEveryMs = 100

/** A run cannot be interrupted, so its process has to end with one that goes over a limit. Watches one process. */
export class RunWatch {
  readonly #limits: RunLimits
  readonly #onOver: (limit: RunLimit) => void
  /** While a run lasts. */
  #late: NodeJS.Timeout | undefined
  /** From one run to the next, since many that are short swell as one that is long does. */
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

/** 0 where the kernel does not say. */
function residentBytes(pid: number): Bytes {
  const [, kibibytes = '0'] = /^VmRSS:\s*(\d+) kB$/m.exec(readSysFile(`/proc/${pid}/status`) ?? '') ?? []
  return Number(kibibytes) * 1024
}
