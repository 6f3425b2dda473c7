import { LiveFirstQueue } from '../../model/live-first-queue.ts'
import type { Turn } from '../../model/turn.ts'

interface Job {
  id: number
  run: () => Promise<void>
}

/**
 * The jobs of one worker: at most `atOnce` run together, and live requests start before mirrored ones. Only one job
 * starts per turn of the event loop, so that a live request can be received between two jobs that block it.
 */
export class JobQueue {
  readonly #atOnce: number
  readonly #queue = new LiveFirstQueue<Job>()
  readonly #waiting = new Map<number, Job>()
  #running = 0
  #isDue = false

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  /** `run` must not reject. */
  add(id: number, turn: Pick<Turn, 'shadow'>, run: () => Promise<void>): void {
    const job = { id, run }
    this.#waiting.set(id, job)
    this.#queue.add(job, turn)
    this.#beginSoon()
  }

  /** Returns false if the job has already started. */
  withdraw(id: number): boolean {
    const job = this.#waiting.get(id)
    this.#waiting.delete(id)
    return job !== undefined && this.#queue.remove(job)
  }

  #beginSoon(): void {
    if (this.#isDue || this.#waiting.size === 0 || this.#running >= this.#atOnce) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      void this.#begin()
    })
  }

  async #begin(): Promise<void> {
    const job = this.#queue.take()
    if (!job) return
    this.#waiting.delete(job.id)
    this.#running++
    const done = job.run()
    this.#beginSoon()
    await done
    this.#running--
    this.#beginSoon()
  }
}
