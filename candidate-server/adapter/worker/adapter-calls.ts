import type { Milliseconds } from '../../../vocabulary/units.ts'
import { serveError, versionEnding } from '../../errors.ts'
import { type AdapterWorker, heapMiBMaxDefault, startWorker } from './worker.ts'
import { errorOfWire, type FromWorker, type ToWorker, type WorkerSetup } from './worker-messages.ts'

export interface WorkerOptions {
  /** The worker's name in messages. */
  title: string
  setup: WorkerSetup
  startTimeoutMs: Milliseconds
  callTimeoutMs: Milliseconds
  /** Heap limit for a module's objects; 1024 by default. */
  heapMiBMax?: number
}

/** How long a worker may take to answer a ping after a call has timed out: on a busy machine it waits for a CPU. */
export const pingTimeoutMs: Milliseconds = 5_000

export type CallResult = Extract<FromWorker, { kind: 'tensors' | 'response' }>

interface Call {
  resolve: (result: CallResult) => void
  reject: (error: unknown) => void
  timer: NodeJS.Timeout
}

/** The lifetime of one worker, with the calls inside it. */
export class AdapterCalls {
  /** Rejects with an error that says what to do. */
  readonly loaded: Promise<void>
  /** Resolves with the reason it ended. */
  readonly ended: Promise<string>
  readonly #options: WorkerOptions
  readonly #worker: AdapterWorker
  #loading: ((outcome: Extract<FromWorker, { kind: 'loaded' | 'unloadable' }>) => void) | undefined
  readonly #calls = new Map<number, Call>()
  #lastId = 0
  #answers = 0
  #reason: string | undefined
  #isStopping = false
  #over = false

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#worker = startWorker(options.setup, options.heapMiBMax ?? heapMiBMaxDefault, (message) =>
      this.#receive(message),
    )
    this.ended = this.#worker.ended.then((reason) => {
      this.#reason ??= reason
      this.#over = true
      this.#failCalls()
      return this.#reason
    })
    this.loaded = this.#load()
    // callers that do not await `loaded` learn of a failure through `ended`
    this.loaded.catch(() => {})
  }

  call(message: (id: number) => ToWorker, transfer: ArrayBuffer[] = []): Promise<CallResult> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId
      const timer = setTimeout(() => this.#expire(id), this.#options.callTimeoutMs)
      this.#calls.set(id, { resolve, reject, timer })
      this.#worker.post(message(id), transfer)
      if (this.#over) this.#failCalls()
    })
  }

  /** Sends a message that expects no answer. */
  tell(message: ToWorker): void {
    if (!this.#over) this.#worker.post(message, [])
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#worker.end()
  }

  #load(): Promise<void> {
    const { title, startTimeoutMs } = this.#options
    return new Promise((resolve, reject) => {
      const slow = setTimeout(() => {
        reject(new Error(`${title} was not loaded within limits.startTimeout, ${startTimeoutMs} ms`))
        void this.stop()
      }, startTimeoutMs)
      this.#loading = (outcome) => {
        clearTimeout(slow)
        if (outcome.kind === 'loaded') resolve()
        else reject(new Error(outcome.message))
      }
      void this.ended.then((reason) => {
        clearTimeout(slow)
        reject(new Error(`${title} ended while it was loaded: ${reason}`))
      })
    })
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'loaded' || message.kind === 'unloadable') {
      this.#loading?.(message)
      return
    }
    this.#answers++
    if (message.kind === 'pong' || message.kind === 'broken') return
    const call = this.#take(message.id)
    if (message.kind === 'failed') call?.reject(errorOfWire(message.error))
    else call?.resolve(message)
  }

  /** Returns `undefined` if the call has timed out. */
  #take(id: number): Call | undefined {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    clearTimeout(call?.timer)
    return call
  }

  /** Fails the late call alone. A worker that does not answer a ping either is stuck in an endless loop and is ended. */
  #expire(id: number): void {
    const { title, callTimeoutMs } = this.#options
    const late = `took longer than limits.runTimeout, ${callTimeoutMs} ms`
    this.#take(id)?.reject(serveError('ADAPTER_FAILED', `${title} ${late}`))
    // a module would keep a request that it began after `forget`
    this.#worker.post({ kind: 'withdraw', call: id }, [])
    const answers = this.#answers
    this.#worker.post({ kind: 'ping' }, [])
    const endIfMute = () => {
      if (this.#answers !== answers) return
      this.#reason ??= late
      void this.#worker.end()
    }
    // if this process was busy, the answer may be there and unheard of: that is heard before the immediate
    setTimeout(() => setImmediate(endIfMute), pingTimeoutMs).unref()
  }

  #failCalls(): void {
    // the client gets the first line; the stack is for the log
    const [why] = this.#reason!.split('\n', 1)
    const failed = serveError('ADAPTER_FAILED', `${this.#options.title} ended: ${why}; try again`)
    for (const id of this.#calls.keys()) this.#take(id)!.reject(this.#isStopping ? versionEnding() : failed)
  }
}
