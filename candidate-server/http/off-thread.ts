/**
 * Keeps the front's event loop free of what takes long: large JSON is parsed and rendered by one thread of its own,
 * one job at a time. Its heap has no limit of its own, as a thread that reaches one may take the process with it
 * (measured, Node 26): what a body may take is bounded before it is parsed, by `limits.bodyMax` and in `parseJson`.
 *
 * Modes: no thread → busy ⇄ idle. The first job starts the thread; one that has been idle for `idleMs` is ended, and
 * its memory with it. A thread that ends by itself takes its job with it, and the next job starts another.
 */
import { Worker } from 'node:worker_threads'
import { ApiError } from '../../runtime/api-error.ts'
import { serveError } from '../protocol/errors.ts'
import { buffersIn, type HeavyJobs } from './heavy-jobs.ts'
import type { JobAnswer, JobRequest } from './off-thread-worker.ts'

const idleMs = 10_000

interface Waiting {
  request: JobRequest
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

export class OffThread {
  #worker: Worker | undefined
  #running: Waiting | undefined
  #waiting: Waiting[] = []
  #stopped = false
  #idle: NodeJS.Timeout | undefined

  /** The memory under typed arrays in `args` moves with them: they are empty here afterwards. */
  run<Job extends keyof HeavyJobs>(job: Job, ...args: Parameters<HeavyJobs[Job]>): Promise<ReturnType<HeavyJobs[Job]>> {
    return new Promise((resolve, reject) => {
      const request = { job, args }
      this.#waiting.push({ request, resolve: resolve as (result: unknown) => void, reject })
      this.#next()
    })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#idle)
    await this.#worker?.terminate()
    for (const { reject } of this.#waiting.splice(0)) reject(stopping())
  }

  #next(): void {
    if (this.#running) return
    clearTimeout(this.#idle)
    const next = this.#waiting.shift()
    if (!next) {
      this.#idle = setTimeout(() => this.#end(), idleMs).unref()
      return
    }
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

const stopping = () => serveError('STOPPING', 'the server is stopping')
