/**
 * Runs an adapter in a worker (a thread or process) of its own, so that decoding, tokenizing or a user's code cannot
 * block the front's event loop, and an uncaught error ends only that worker. If a worker dies, the calls inside it fail;
 * new calls wait for the next worker to start.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../../../runtime/logger.ts'
import type { Milliseconds } from '../../../vocabulary/units.ts'
import { serveError, versionEnding } from '../../errors.ts'
import type { Turn } from '../../model/turn.ts'
import { isWhole, ownTensors, type Tensors } from '../../tensor/tensor.ts'
import type { UnreadRequest } from '../adapter.ts'
import type { WireResponse } from '../worker-adapter.ts'
import { AdapterCalls, type CallResult, type WorkerOptions } from './adapter-calls.ts'
import { Places } from './places.ts'

interface IsolatedAdapterOptions extends WorkerOptions {
  /** How many requests may wait for their tensors. */
  callsMax: number
  /** Whether the adapter's files still match the digest reported in its answers. */
  isUnchanged: () => boolean
  logger: Logger
}

const backoffMs = 1_000
/** A worker that has been up this long is restarted without a pause. */
const steadyMs = 10_000
/** Larger bodies are cheaper to transfer than to copy. */
const movedBytesMin = 64 * 1024

/** The worker and the call that made a request's tensors. */
interface Made {
  worker: AdapterCalls
  id: number
  shadow: boolean
}

export class IsolatedAdapter {
  /** Whether it makes responses too; if not, the front renders predictions. */
  readonly makesResponses: boolean
  readonly #options: IsolatedAdapterOptions
  readonly #stopping = new AbortController()
  #worker: AdapterCalls
  #up: Promise<AdapterCalls>
  readonly #places: Places
  readonly #made = new WeakMap<UnreadRequest, Made>()

  private constructor(options: IsolatedAdapterOptions) {
    this.makesResponses = options.setup.kind === 'module'
    this.#options = options
    this.#places = new Places(options.title, options.callsMax)
    this.#worker = new AdapterCalls(options)
    this.#up = this.#watch(this.#worker)
    this.#up.catch(() => {})
  }

  /** Rejects with an error that says what to do if the adapter cannot be loaded. */
  static async start(options: IsolatedAdapterOptions): Promise<IsolatedAdapter> {
    const adapter = new IsolatedAdapter(options)
    try {
      await adapter.#loaded(adapter.#worker)
      return adapter
    } catch (error) {
      await adapter.stop()
      throw error
    }
  }

  async toTensors(asked: UnreadRequest, turn: Turn): Promise<Tensors> {
    const { method, path, headers, body } = asked
    const place = this.#places.take(turn)
    let made: Made | undefined
    let called: Promise<CallResult> | undefined
    try {
      const worker = await Promise.race([this.#whenUp(), place.left])
      const moves = body.length >= movedBytesMin && isWhole(body)
      const bytes = moves ? new Uint8Array(body.buffer as ArrayBuffer) : new Uint8Array(body)
      const request = { method, path, headers, body: bytes }
      called = worker.call(
        (id) => {
          made = { worker, id, shadow: turn.shadow }
          this.#made.set(asked, made)
          return { kind: 'toTensors', id, request, shadow: turn.shadow }
        },
        [bytes.buffer],
      )
      // only the worker knows whether it has started the request
      place.whenLate = () => withdraw(made)
      const result = await Promise.race([called, place.left])
      return (result as Extract<CallResult, { kind: 'tensors' }>).tensors
    } finally {
      if (place.hasLeft) withdraw(made)
      place.free()
      // the client has gone, but the body stays in memory until the worker has dealt with it
      if (turn.client.isGone) await called?.catch(() => {})
    }
  }

  /** `asked` is the object that `toTensors` received. */
  async toResponse(outputs: Tensors, asked: UnreadRequest): Promise<WireResponse> {
    const own = ownTensors(outputs)
    const made = this.#made.get(asked)
    const worker = await this.#whenUp()
    const result = await worker.call((id) => {
      // ids begin at 1, so a worker that does not have the request finds nothing under 0
      const request = made?.worker === worker ? made.id : 0
      return { kind: 'toResponse', id, request, outputs: own, shadow: made?.shadow ?? false }
    })
    return (result as Extract<CallResult, { kind: 'response' }>).response
  }

  /** Call when a request ends, even if it never reached `toResponse`; needed only if the adapter `makesResponses`. */
  forget(asked: UnreadRequest): void {
    const made = this.#made.get(asked)
    made?.worker.tell({ kind: 'forget', request: made.id })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#worker.stop()
  }

  #whenUp(): Promise<AdapterCalls> {
    if (this.#stopping.signal.aborted) throw versionEnding()
    return this.#up
  }

  #watch(worker: AdapterCalls): Promise<AdapterCalls> {
    const { title, logger } = this.#options
    const startedAt = performance.now()
    void worker.ended.then((reason) => {
      if (this.#stopping.signal.aborted) return
      logger.error({ adapter: title, reason }, 'an adapter ended and is being restarted')
      this.#up = this.#restart(performance.now() - startedAt >= steadyMs ? 0 : backoffMs)
      // waiting calls receive the error; if there are none, the log has it
      this.#up.catch(() => {})
    })
    return this.#loaded(worker).then(
      () => worker,
      async (error: Error) => {
        await worker.stop()
        throw serveError('ADAPTER_FAILED', `${title} could not be started again: ${error.message}`)
      },
    )
  }

  /** Answers from files replaced on disk must not carry the old digest. */
  async #loaded(worker: AdapterCalls): Promise<void> {
    await worker.loaded
    const { title, isUnchanged } = this.#options
    if (isUnchanged()) return
    throw new Error(`${title}: its files have changed since it was loaded; reload the server (SIGHUP) to serve them`)
  }

  async #restart(pauseMs: Milliseconds): Promise<AdapterCalls> {
    await delay(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {
      throw versionEnding()
    })
    this.#worker = new AdapterCalls(this.#options)
    return this.#watch(this.#worker)
  }
}

function withdraw(made: Made | undefined): boolean {
  made?.worker.tell({ kind: 'withdraw', call: made.id })
  return made !== undefined
}
