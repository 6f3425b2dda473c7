import type { Clock } from '../../runtime/clock.ts'
import type { BreakerState } from '../../vocabulary/mirrors.ts'
import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import type { ByteBudget } from '../capture/byte-budget.ts'
import type { LegOutcome } from '../capture/leg-outcome.ts'
import type { Field } from '../http1/fields.ts'
import { withHost } from '../http1/request-head.ts'
import { ConnectionPool } from '../upstream/connection-pool.ts'
import type { Target } from '../upstream/target.ts'
import { type BreakerOptions, CircuitBreaker, type Permit } from './circuit-breaker.ts'
import { type ShadowRequest, sendShadow } from './send-shadow.ts'
import { sendWithRetries } from './send-with-retries.ts'
import type { ShadowTargets } from './shadow-targets.ts'
import { Slots } from './slots.ts'
import { WaitingLine } from './waiting-line.ts'

export interface ShadowQueueOptions {
  targets: ShadowTargets
  /** From when a request is first sent; also the longest that one may wait. */
  deadlineMs: Milliseconds
  concurrency: number
  queueMax: number
  /** Which request a full queue drops. */
  shed: 'newest' | 'oldest'
  retries: number
  breaker: BreakerOptions
  /** `keep` the client's Host, which TLS never does, or `rewrite` it to the upstream's own. */
  host: 'keep' | 'rewrite'
  editFields: (fields: Field[]) => Field[]
  responseBytesMax: Bytes
  budget: ByteBudget
  clock: Clock
  /** The queue to the same upstream under an older config; an open breaker stays open. */
  before?: ShadowQueue | undefined
}

interface Waiting {
  /** Builds the request when its turn comes; undefined if it is no longer needed, and it then ends as `shed`. */
  request: () => ShadowRequest | undefined
  done: (outcome: LegOutcome) => void
  since: Milliseconds
}

/**
 * Shadow requests to one upstream, on connections of their own: at most `concurrency` in flight, at most `queueMax`
 * waiting, none waiting longer than the deadline, and none sent while the breaker is open. A request that these limits
 * stop ends as `shed`, because the upstream never got it; one that was sent and passes its deadline ends as `timedOut`.
 * `queuedMs` is all the time before the request was sent, or was sent for the last time. `offer` never blocks.
 */
export class ShadowQueue {
  readonly #options: ShadowQueueOptions
  readonly #pools: ReadonlyMap<Target, ConnectionPool>
  readonly #breaker: CircuitBreaker
  readonly #abandon = new Slots<() => void>()
  readonly #line: WaitingLine<Waiting>
  #inFlight = 0
  #closed = false

  constructor(options: ShadowQueueOptions) {
    this.#options = options
    this.#line = new WaitingLine(options.deadlineMs, options.clock, (waiting) => this.#endWaiting(waiting))
    this.#breaker = new CircuitBreaker(options.breaker, options.clock, () => this.#shedWaiting())
    if (options.before) this.#breaker.continue(options.before.#breaker)
    this.#pools = new Map(options.targets.all.map((target) => [target, new ConnectionPool(target, 'copies')]))
  }

  /** URLs of its upstream. */
  get urls(): readonly string[] {
    return this.#options.targets.all.map(({ url }) => url)
  }

  get waiting(): number {
    return this.#line.length
  }

  get inFlight(): number {
    return this.#inFlight
  }

  get breaker(): BreakerState {
    return this.#breaker.mode
  }

  /** Whether all requests but probes are turned away because the upstream fails. */
  get isBreakerOpen(): boolean {
    return !this.#breaker.isClosed
  }

  /** `done` is called exactly once, possibly before this returns. */
  offer(request: () => ShadowRequest | undefined, done: (outcome: LegOutcome) => void): void {
    const isFree = this.#inFlight < this.#options.concurrency
    const permit = isFree && !this.#closed ? this.#breaker.enter() : undefined
    if (permit !== undefined) this.#send(request, done, 0, permit)
    else if (isFree || this.#closed || this.isBreakerOpen) done(shed(0))
    else this.#enqueue(request, done)
  }

  /** Ends everything not answered yet as `shed`, and everything offered later. */
  close(): void {
    this.#closed = true
    this.#line.close()
    this.#shedWaiting()
    for (const abandon of this.#abandon.all()) abandon()
    for (const connections of this.#pools.values()) connections.close()
  }

  #enqueue(request: () => ShadowRequest | undefined, done: (outcome: LegOutcome) => void): void {
    const { clock, queueMax, shed: which } = this.#options
    if (this.waiting >= queueMax) {
      if (which === 'newest' || queueMax === 0) {
        done(shed(0))
        return
      }
      this.#endWaiting(this.#line.next())
    }
    this.#line.push({ request, done, since: clock.monotonic() })
  }

  #send(
    request: () => ShadowRequest | undefined,
    done: (outcome: LegOutcome) => void,
    waitedMs: Milliseconds,
    permit: Permit,
  ): void {
    const { budget, clock, deadlineMs, responseBytesMax, retries, targets } = this.#options
    const built = request()
    if (!built) {
      this.#breaker.leave(permit, 'shed')
      done(shed(waitedMs))
      return
    }
    this.#inFlight++
    let hasEnded = false
    let slot: number | undefined
    const end = (outcome: LegOutcome, lostMs: Milliseconds) => {
      hasEnded = true
      if (slot !== undefined) this.#abandon.free(slot)
      this.#inFlight--
      outcome.queuedMs = waitedMs + lostMs
      done(outcome)
      // a request that ended synchronously leaves the next to its caller, so that the stack does not grow
      if (slot !== undefined) this.#sendNext()
    }
    const abandon = sendWithRetries(
      (leftMs, ended) => {
        const target = targets.next()
        const options = { deadlineMs: leftMs, responseBytesMax, budget, clock }
        const attempted = (outcome: LegOutcome) => {
          if (outcome.kind === 'refused') targets.refused(target)
          ended(outcome)
        }
        return sendShadow(this.#pools.get(target)!, this.#address(built, target), options, attempted)
      },
      permit,
      { retries, deadlineMs, breaker: this.#breaker, clock },
      end,
    )
    if (!hasEnded) slot = this.#abandon.add(abandon)
  }

  /**
   * Over TLS the certificate is for the upstream's own name, so the client's Host is replaced; the config's edits come
   * last.
   */
  #address({ method, path, fields, body }: ShadowRequest, { host, isTls, pathPrefix }: Target): ShadowRequest {
    const { host: whose, editFields } = this.#options
    const isKept = whose === 'keep' && !isTls && fields.some(({ name }) => name === 'host')
    const addressed = isKept ? [...fields] : withHost(fields, host)
    return { method, path: pathPrefix + path, fields: editFields(addressed), body }
  }

  #sendNext(): void {
    const { clock, concurrency, deadlineMs } = this.#options
    while (this.waiting > 0 && this.#inFlight < concurrency && !this.#closed) {
      const next = this.#line.next()
      const waitedMs = clock.monotonic() - next.since
      const permit = waitedMs < deadlineMs ? this.#breaker.enter() : undefined
      if (permit === undefined) this.#endWaiting(next)
      else this.#send(next.request, next.done, waitedMs, permit)
    }
  }

  #shedWaiting(): void {
    while (this.waiting > 0) this.#endWaiting(this.#line.next())
  }

  #endWaiting(waiting: Waiting): void {
    waiting.done(shed(this.#options.clock.monotonic() - waiting.since))
  }
}

const shed = (queuedMs: Milliseconds): LegOutcome => ({ kind: 'shed', totalMs: 0, queuedMs })
