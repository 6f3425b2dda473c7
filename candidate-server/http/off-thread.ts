/**
 * Runs slow jobs off the event loop: one worker thread parses large JSON and multipart bodies and renders large JSON,
 * one job at a time, live requests first. The worker's heap has no limit of its own, because a worker that reaches its
 * limit may crash the whole process (measured, Node 26). Memory is bounded before parsing instead, by `limits.bodyMax`
 * and in `parseJson`.
 *
 * Modes: no thread → busy ⇄ idle. The first job starts the thread. A thread idle for `idleMs` is stopped, which frees
 * its memory. If a thread dies, its current job fails and the next job starts a new one.
 */
import { Worker } from 'node:worker_threads'
import { ApiError } from '../../runtime/api-error.ts'
import { clientGone, serveError, stopping } from '../errors.ts'
import { LiveFirstQueue } from '../model/live-first-queue.ts'
import type { Turn } from '../model/turn.ts'
import { buffersIn, type HeavyJobs } from './heavy-jobs.ts'
import type { JobAnswer, JobRequest } from './off-thread-worker.ts'

const idleMs = 10_000

interface Waiting {
  request: JobRequest
  turn: Turn
  late: NodeJS.Timeout | undefined
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

export class OffThread {
  #worker: Worker | undefined
  #running: Waiting | undefined
  readonly #waiting = new LiveFirstQueue<Waiting>()
  #stopped = false
  #idle: NodeJS.Timeout | undefined

  /** Buffers under typed arrays in `args` are transferred: the caller's arrays are empty afterwards. */
  run<Job extends keyof HeavyJobs>(
    turn: Turn,
    job: Job,
    ...args: Parameters<HeavyJobs[Job]>
  ): Promise<Awaited<ReturnType<HeavyJobs[Job]>>> {
    return new Promise((resolve, reject) => {
      if (turn.client.isGone) return reject(clientGone())
      const leave = (error: Error) => this.#waiting.remove(waiting) && this.#settle(waiting).reject(error)
      const waiting: Waiting = {
        request: { job, args },
        turn,
        late: setTimeout(() => leave(tooLate()), turn.waitMsMax),
        resolve: resolve as (result: unknown) => void,
        reject,
      }
      turn.client.whenGone = () => leave(clientGone())
      this.#waiting.add(waiting, turn)
      this.#next()
    })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#idle)
    await this.#worker?.terminate()
    for (let next = this.#waiting.take(); next; next = this.#waiting.take()) this.#settle(next).reject(stopping())
  }

  /** Clears the timeout and the client callback of a job that no longer waits. */
  #settle(waiting: Waiting): Waiting {
    clearTimeout(waiting.late)
    waiting.turn.client.whenGone = undefined
    return waiting
  }

  #next(): void {
    if (this.#running) return
    clearTimeout(this.#idle)
    const next = this.#waiting.take()
    if (!next) {
      this.#idle = setTimeout(() => this.#end(), idleMs).unref()
      return
    }
    this.#settle(next)
    if (this.#stopped) {
      next.reject(stopping())
      return
    }
    this.#worker ??= this.#start()
    try {
      this.#worker.postMessage(next.request, buffersIn(next.request.args))
      this.#running = next
    } catch (error) {
      next.reject(error)
      this.#next()
    }
  }

  #end(): void {
    void this.#worker?.terminate()
    this.#worker = undefined
  }

  #start(): Worker {
    const worker = new Worker(new URL('./off-thread-worker.ts', import.meta.url))
    worker.unref()
    worker.on('message', (answer: JobAnswer) => {
      const running = this.#running!
      this.#running = undefined
      if (answer.kind === 'done') running.resolve(answer.result)
      else if (answer.kind === 'refused') running.reject(new ApiError(answer.status, answer.code, answer.message))
      else running.reject(answer.error)
      this.#next()
    })
    let cause: Error | undefined
    worker.on('error', (error: Error) => {
      cause = error
    })
    worker.on('exit', () => {
      if (worker !== this.#worker) return
      this.#worker = undefined
      const running = this.#running
      this.#running = undefined
      running?.reject(this.#stopped ? stopping() : (cause ?? new Error('the thread for large bodies ended')))
      this.#next()
    })
    return worker
  }
}

const tooLate = () => serveError('QUEUE_TIMEOUT', 'the thread for large bodies was busy for all of queue.timeout')
