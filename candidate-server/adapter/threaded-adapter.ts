/**
 * An adapter in a thread of its own, so that neither decoding, tokenizing nor a user's code holds up the front's event
 * loop, and what escapes a user's code ends its own thread only. A thread that ends by itself takes the calls inside
 * it along; calls that come before the next one is up wait for it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { Tensors } from '../model/tensor.ts'
import { serveError } from '../protocol/errors.ts'
import type { AdapterRequest, RunningAdapter } from './adapter.ts'
import { AdapterThread, type CallResult, type ThreadOptions } from './adapter-thread.ts'
import { isWhole, ownTensors, type ToThread } from './thread-messages.ts'

export interface ThreadedAdapterOptions extends ThreadOptions {
  /** Calls that may be under way. */
  callsMax: number
  logger: Logger
}

const backoffMs = 1_000
/** One that was up for so long comes back without a pause. */
const steadyMs = 10_000
/** From here on a body is cheaper moved than copied. */
const movedBytesMin = 64 * 1024

export class ThreadedAdapter implements RunningAdapter {
  readonly #options: ThreadedAdapterOptions
  readonly #stopping = new AbortController()
  #thread: AdapterThread
  #up: Promise<AdapterThread>
  #calls = 0

  private constructor(options: ThreadedAdapterOptions) {
    this.#options = options
    this.#thread = new AdapterThread(options)
    this.#up = this.#watch(this.#thread)
    this.#up.catch(() => {})
  }

  /** Rejects with an error that says what to do where the adapter cannot be loaded. */
  static async start(options: ThreadedAdapterOptions): Promise<ThreadedAdapter> {
    const adapter = new ThreadedAdapter(options)
    try {
      await adapter.#thread.loaded
      return adapter
    } catch (error) {
      await adapter.stop()
      throw error
    }
  }

  async toTensors({ method, path, headers, body }: AdapterRequest): Promise<Tensors> {
    const moves = body.length >= movedBytesMin && isWhole(body)
    const bytes = moves ? new Uint8Array(body.buffer as ArrayBuffer) : new Uint8Array(body)
    const request = { method, path, headers, body: bytes }
    const result = await this.#call('tensors', (id) => ({ kind: 'toTensors', id, request }), [bytes.buffer])
    return result.tensors
  }

  async toResponse(outputs: Tensors): Promise<Response> {
    const own = ownTensors(outputs)
    const { response } = await this.#call('response', (id) => ({ kind: 'toResponse', id, outputs: own }))
    return new Response(response.body, response)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#thread.stop()
  }

  async #call<Kind extends CallResult['kind']>(
    _kind: Kind,
    message: (id: number) => ToThread,
    transfer?: ArrayBuffer[],
  ): Promise<Extract<CallResult, { kind: Kind }>> {
    const { title, callsMax } = this.#options
    if (this.#stopping.signal.aborted) throw serveError('STOPPING', 'the server is stopping')
    if (this.#calls >= callsMax)
      throw serveError('QUEUE_FULL', `${title} has ${callsMax} requests already; try again later`)
    this.#calls++
    try {
      const thread = await this.#up
      return (await thread.call(message, transfer)) as Extract<CallResult, { kind: Kind }>
    } finally {
      this.#calls--
    }
  }

  #watch(thread: AdapterThread): Promise<AdapterThread> {
    const { title, logger } = this.#options
    const startedAt = performance.now()
    void thread.ended.then((reason) => {
      if (this.#stopping.signal.aborted) return
      logger.error({ adapter: title, reason }, 'an adapter ended and is started again')
      this.#up = this.#again(performance.now() - startedAt >= steadyMs ? 0 : backoffMs)
      // calls that wait for it get the error; without any, the log has it
      this.#up.catch(() => {})
    })
    return thread.loaded.then(
      () => thread,
      async (error: Error) => {
        await thread.stop()
        throw serveError('ADAPTER_FAILED', `${title} could not be started again: ${error.message}`)
      },
    )
  }

  async #again(pauseMs: Milliseconds): Promise<AdapterThread> {
    await delay(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {
      throw serveError('STOPPING', 'the server is stopping')
    })
    this.#thread = new AdapterThread(this.#options)
    return this.#watch(this.#thread)
  }
}
