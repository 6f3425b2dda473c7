import type { Milliseconds, MonotonicMs } from '../../vocabulary/units.ts'
import type { RunResult } from './instance-process.ts'

/** What waits inside an instance can neither expire nor leave nor be overtaken, so it must not wait for long there. */
const runMsMax = 100
/** A run that takes so much longer than the one before it may never end: what waits behind it is taken back. */
const overdueMs = 1_000

/** When a busy instance will be free, by the run before, and the batch that waits in its process until then. */
export class RunAhead {
  #busySince: MonotonicMs = 0
  #lastRunMs: Milliseconds = Number.POSITIVE_INFINITY
  /** Ends the wait for that batch, while it waits. */
  #end: (() => void) | undefined

  /** When the run under way is likely to end. */
  get freeAt(): MonotonicMs {
    return this.#busySince + this.#lastRunMs
  }
  /** When to take the batch back, should it still wait then; `undefined` where there is none. */
  get takeBackAt(): MonotonicMs | undefined {
    return this.#end && this.freeAt + overdueMs
  }

  /** Whether runs are short, and the one under way is not late. */
  mayBegin(now: MonotonicMs): boolean {
    return this.#lastRunMs <= runMsMax && now - this.freeAt <= runMsMax
  }

  /** `run`: of a batch that is inside, and has to wait there. */
  begin(run: Promise<RunResult>): Promise<RunResult> {
    return Promise.race([run, new Promise<RunResult>((resolve) => (this.#end = () => resolve({ kind: 'notRun' })))])
  }

  /**
   * The batch is to be run elsewhere. The process cannot be told: should it come to it after all, that is one short run for
   * nothing.
   */
  takeBack(): void {
    this.#end?.()
    this.#end = undefined
  }

  /** A run begins, where none was before. */
  runBegan(now: MonotonicMs): void {
    this.#busySince = now
  }

  /** A run is over, and what waited is under way. */
  runEnded(now: MonotonicMs, result: RunResult): void {
    this.#end = undefined
    this.#busySince = now
    if (result.kind === 'done') this.#lastRunMs = result.inferMs
  }
}
