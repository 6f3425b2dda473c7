import { Worker } from 'node:worker_threads'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { serveError } from '../protocol/errors.ts'
import { errorOfWire, type FromThread, type ThreadSetup, type ToThread } from './thread-messages.ts'

export interface ThreadOptions {
  /** What it is called in messages. */
  title: string
  setup: ThreadSetup
  startTimeoutMs: Milliseconds
  callTimeoutMs: Milliseconds
}

/** Of its objects; what lies under buffers and typed arrays is not among them. */
const heapMiBMax = 1024
/** How long a thread may leave a sign of life unanswered after a call has timed out. */
const pingTimeoutMs = 1_000

export type CallResult = Extract<FromThread, { kind: 'tensors' | 'response' }>

interface Call {
  resolve: (result: CallResult) => void
  reject: (error: unknown) => void
  timer: NodeJS.Timeout
}

/** One thread from its start to its end, with the calls inside it. */
export class AdapterThread {
  /** Rejects with an error that says what to do. */
  readonly loaded: Promise<void>
  /** Why it ended. */
  readonly ended: Promise<string>
  readonly #options: ThreadOptions
  readonly #worker: Worker
  readonly #calls = new Map<number, Call>()
  #lastId = 0
  #answers = 0
  #reason: string | undefined
  #over = false

  constructor(options: ThreadOptions) {
    this.#options = options
    this.#worker = new Worker(new URL('./thread-main.ts', import.meta.url), {
      workerData: options.setup,
      stdout: true,
      resourceLimits: { maxOldGenerationSizeMb: heapMiBMax },
    })
    // standard output is the server's own
    this.#worker.stdout.on('data', (chunk: Buffer) => process.stderr.write(chunk))
    this.#worker.on('error', (error) => {
      this.#reason = reasonOf(error)
    })
    this.ended = new Promise((resolve) => {
      this.#worker.on('exit', (status) => {
        this.#reason ??= `it ended with status ${status}`
        this.#over = true
        this.#failCalls()
        resolve(this.#reason)
      })
    })
    this.loaded = this.#load()
    // whoever does not wait for it learns of it by `ended`
    this.loaded.catch(() => {})
  }

  call(message: (id: number) => ToThread, transfer: ArrayBuffer[] = []): Promise<CallResult> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId
      const timer = setTimeout(() => this.#expire(id), this.#options.callTimeoutMs)
      this.#calls.set(id, { resolve, reject, timer })
      this.#worker.postMessage(message(id), transfer)
      if (this.#over) this.#failCalls()
    })
  }

  async stop(): Promise<void> {
    this.#reason ??= 'the server is stopping'
    await this.#worker.terminate()
  }

  #load(): Promise<void> {
    const { title, startTimeoutMs } = this.#options
    return new Promise((resolve, reject) => {
      const slow = setTimeout(() => {
        reject(new Error(`${title} was not loaded within limits.startTimeout, ${startTimeoutMs} ms`))
        void this.stop()
      }, startTimeoutMs)
      this.#worker.on('message', (message: FromThread) => {
        if (message.kind === 'loaded') resolve()
        else if (message.kind === 'unloadable') reject(new Error(message.message))
        else return this.#receive(message)
        return clearTimeout(slow)
      })
      void this.ended.then((reason) => {
        clearTimeout(slow)
        reject(new Error(`${title} ended while it was loaded: ${reason}`))
      })
    })
  }

  #receive(message: Exclude<FromThread, { kind: 'loaded' | 'unloadable' }>): void {
    this.#answers++
    if (message.kind === 'pong') return
    const call = this.#take(message.id)
    if (message.kind === 'failed') call?.reject(errorOfWire(message.error))
    else call?.resolve(message)
  }

  /** `undefined` where it has timed out. */
  #take(id: number): Call | undefined {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    clearTimeout(call?.timer)
    return call
  }

  /** A call that waits for something fails alone; a thread that does not even answer a ping is in an endless loop. */
  #expire(id: number): void {
    const { title, callTimeoutMs } = this.#options
    const late = `took longer than limits.runTimeout, ${callTimeoutMs} ms`
    this.#take(id)?.reject(serveError('ADAPTER_FAILED', `${title} ${late}`))
    const answers = this.#answers
    this.#worker.postMessage({ kind: 'ping' } satisfies ToThread)
    setTimeout(() => {
      if (this.#answers !== answers) return
      this.#reason ??= late
      void this.#worker.terminate()
    }, pingTimeoutMs).unref()
  }

  #failCalls(): void {
    for (const id of this.#calls.keys()) {
      this.#take(id)!.reject(serveError('ADAPTER_FAILED', `${this.#options.title} ended: ${this.#reason}; try again`))
    }
  }
}

function reasonOf(error: unknown): string {
  if ((error as NodeJS.ErrnoException)?.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return `its objects took more than ${heapMiBMax} MiB`
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
