import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import { readSysFile } from '../cpu/sys-file.ts'

export interface RunLimits {
  timeoutMs: Milliseconds
  /** Of its process, while it lasts. */
  rssBytesMax: Bytes | 'none'
}

export type RunLimit = 'limits.runTimeout' | 'limits.runRssMax'

const lookEveryMs = 100

/** A run cannot be interrupted, so its process has to end with one that goes over a limit. Watches one run at a time. */
export class RunWatch {
  readonly #limits: RunLimits
  readonly #onOver: (limit: RunLimit) => void
  #late: NodeJS.Timeout | undefined
  #looks: NodeJS.Timeout | undefined

  constructor(limits: RunLimits, onOver: (limit: RunLimit) => void) {
    this.#limits = limits
    this.#onOver = onOver
  }

  begin(pid: number): void {
    const { timeoutMs, rssBytesMax } = this.#limits
    this.#late = setTimeout(() => this.#over('limits.runTimeout'), timeoutMs)
    if (rssBytesMax === 'none') return
    this.#looks = setInterval(() => {
      if (residentBytes(pid) > rssBytesMax) this.#over('limits.runRssMax')
    }, lookEveryMs)
  }

  end(): void {
    clearTimeout(this.#late)
    clearInterval(this.#looks)
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
