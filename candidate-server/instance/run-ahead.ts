import type { Milliseconds, MonotonicMs } from '../../vocabulary/units.ts'
import type { RunResult } from './instance-process.ts'

/** A batch inside an instance cannot expire, be cancelled or be overtaken, so it must not wait there for long. */
const runMsMax = 100
/** A run this much longer than the previous one may never end, so the batch waiting behind it is taken back. */
const overdueMs = 1_000

/** Predicts from the previous run when a busy instance will be free, and tracks the batch waiting in its process. */
export class RunAhead {
  #busySince: MonotonicMs = 0
  #lastRunMs: Milliseconds = Number.POSITIVE_INFINITY
  /** Ends the wait for that batch while it is waiting. */
  #end: (() => void) | undefined

  /** When the current run is likely to end. */
  get freeAt(): MonotonicMs {
    return this.#busySince + this.#lastRunMs
  }
  /** When to take the batch back if it is still waiting; `undefined` if there is none. */
  get takeBackAt(): MonotonicMs | undefined {
    return this.#end && this.freeAt + overdueMs
  }

  /** Whether runs are short and the current one is not late. */
  mayBegin(now: MonotonicMs): boolean {
    return this.#lastRunMs <= runMsMax && now - this.freeAt <= runMsMax
  }

  /** `run` belongs to a batch that is waiting inside. */
  begin(run: Promise<RunResult>): Promise<RunResult> {
    return Promise.race([run, new Promise<RunResult>((resolve) => (this.#end = () => resolve({ kind: 'notRun' })))])
  }

  /**
   * Gives up the batch, so that it can run elsewhere. The process cannot be told; if it reaches the batch after all,
   * one short run is wasted.
   */
  takeBack(): void {
    this.#end?.()
    this.#end = undefined
  }

  /** Call when a run starts in an idle instance. */
  runBegan(now: MonotonicMs): void {
    this.#busySince = now
  }

  /** Call when a run has ended; the waiting batch, if any, then starts. */
  runEnded(now: MonotonicMs, result: RunResult): void {
    this.#end = undefined
    this.#busySince = now
    if (result.kind === 'done') this.#lastRunMs = result.inferMs
  }
}
