import { Worker } from 'node:worker_threads'
import type { Found, Sought } from './parse-thread-worker.ts'

/**
 * Parses large JSON off the event loop, one body after another, in a thread that the first body starts. The thread does
 * not keep the process alive. If it ends, the ids of its waiting bodies are not found, and the next body starts another
 * thread.
 */
export class ParseThread {
  #worker: Worker | undefined
  #nextId = 0
  readonly #waiting = new Map<number, (id: string | undefined) => void>()

  /** As `correlationFromBody`. Never rejects: if the system has no room for a thread, nothing is found. */
  async correlation(body: Buffer, pointer: string): Promise<string | undefined> {
    const id = this.#nextId++
    try {
      this.#worker ??= this.#start()
      this.#worker.postMessage({ id, body, pointer } satisfies Sought)
    } catch {
      return undefined
    }
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }

  #start(): Worker {
    const worker = new Worker(new URL('./parse-thread-worker.ts', import.meta.url))
    worker.unref()
    worker.on('message', ({ id, correlationId }: Found) => {
      this.#waiting.get(id)?.(correlationId)
      this.#waiting.delete(id)
    })
    worker.on('error', () => {}) // 'exit' follows
    worker.on('exit', () => {
      this.#worker = undefined
      for (const resolve of this.#waiting.values()) resolve(undefined)
      this.#waiting.clear()
    })
    return worker
  }
}
