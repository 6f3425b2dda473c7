/**
 * Keeps the front's event loop free of what takes long: large JSON and multipart bodies are parsed, and large JSON is
 * written, by one thread of its own, one job at a time, of live requests first. Its heap has no limit of its own, as a
 * thread that reaches one may take the process with it (measured, Node 26): what a body may take is bounded before it is
 * parsed, by `limits.bodyMax` and in `parseJson`.
 *
 * Modes: no thread → busy ⇄ idle. The first job starts the thread; one that has been idle for `idleMs` is ended, and
 * its memory with it. A thread that ends by itself takes its job with it, and the next job starts another.
 */
import { Worker } from 'node:worker_threads'
import { ApiError } from '../../runtime/api-error.ts'
import { serveError, stopping } from '../errors.ts'
import { clientGone, type Turn, TwoLanes } from '../model/turn.ts'
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
  readonly #waiting = new TwoLanes<Waiting>()
  #stopped = false
  #idle: NodeJS.Timeout | undefined

  /** The memory under typed arrays in `args` moves with them: they are empty here afterwards. */
  run<Job extends keyof HeavyJobs>(
    turn: Turn,
    job: Job,
    ...args: Parameters<HeavyJobs[Job]>
  ): Promise<Awaited<ReturnType<HeavyJobs[Job]>>> {
    return new Promise((resolve, reject) => {
      if (turn.asker.isGone) return reject(clientGone())
      const leave = (error: Error) => this.#waiting.remove(waiting) && this.#settle(waiting).reject(error)
      const waiting: Waiting = {
        request: { job, args },
        turn,
        late: setTimeout(() => leave(tooLate()), turn.waitMsMax),
        resolve: resolve as (result: unknown) => void,
        reject,
      }
      turn.asker.whenGone = () => leave(clientGone())
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

  /** It waits no longer. */
  #settle(waiting: Waiting): Waiting {
    clearTimeout(waiting.late)
    waiting.turn.asker.whenGone = undefined
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

const tooLate = () => serveError('QUEUE_TIMEOUT', 'the thread for large bodies had no time within queue.timeout')
