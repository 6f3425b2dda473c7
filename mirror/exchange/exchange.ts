import type { SkipReason } from '../../vocabulary/coverage.ts'
import type { Leg } from '../../vocabulary/leg.ts'
import type { Bytes, EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import type { LegWatch, LiveRequest, RequestWatch } from '../forward/live-watch.ts'
import type { Entry } from '../ledger/entry.ts'
import type { RequestTrace } from '../observe/request-trace.ts'
import type { ShadowRequest } from '../shadow/send-shadow.ts'
import { shadowFields } from '../shadow/shadow-headers.ts'
import { BodyCapture } from './capture.ts'
import { findCorrelation } from './find-correlation.ts'
import type { LegOutcome } from './leg-outcome.ts'
import { LiveLeg } from './live-leg.ts'
import { observationBytes, type UncodedObservation } from './observation-bytes.ts'
import { isSampled } from './sampling.ts'
import type { MirroredRoute, Routing, Surroundings, Understudy } from './surroundings.ts'
import { outcomeOnWire, requestOnWire } from './wire-form.ts'

/** One validation's side of an exchange. */
interface Pair {
  understudy: Understudy
  id: string
  entry: Entry
  outcome: LegOutcome | undefined
  isSettled: boolean
}

/**
 * One client request on a mirrored route:
 *
 *     the request has passed ──▶ seen; skipped, or paired and its shadows sent ──┐
 *     the live response has passed ──────────────────────────────────────────────┴─▶ both outcomes: observation
 *
 * It counts as seen when the client's request has ended, one way or the other: only then its size is known. Where a
 * candidate is live, the primary's outcome is its reverse shadow's; without one there is nothing to compare with.
 */
export class Exchange implements RequestWatch {
  readonly #around: Surroundings
  readonly #route: MirroredRoute
  readonly #routing: Routing
  readonly #request: LiveRequest
  readonly #trace: RequestTrace | undefined
  /** What the body has, once that is whole, counts more than what the head had. */
  #correlationId: string
  readonly #at: EpochMs
  /** Nothing is kept of an exchange that no candidate will get. */
  readonly #bodyMax: Bytes
  readonly #body: BodyCapture
  readonly #captures: BodyCapture[]
  /** The candidate that the client's request went to first. */
  readonly #onStage: Understudy | undefined
  /** Whose answer the client gets. */
  #live: Leg
  #pairs: Pair[] = []
  #requestEndedAt: Milliseconds | undefined
  #primaryOutcome: LegOutcome | undefined
  #stageOutcome: LegOutcome | undefined
  /** Steps that take time: the exchange holds on to what it has. */
  #underWay = 0
  #isOver = false
  #requestCopy: ReturnType<typeof requestOnWire> | undefined
  #primaryCopy: ReturnType<typeof outcomeOnWire> | undefined

  constructor(
    around: Surroundings,
    route: MirroredRoute,
    routing: Routing,
    live: Understudy | undefined,
    correlationId: string,
    request: LiveRequest,
    trace: RequestTrace | undefined,
  ) {
    this.#around = around
    this.#route = route
    this.#routing = routing
    this.#request = request
    this.#trace = trace
    this.#correlationId = correlationId
    this.#at = around.clock.now()
    this.#bodyMax = this.#mayBeSampled() ? around.rules.bodyMax : 0
    this.#body = new BodyCapture(around.budget, this.#bodyMax)
    if (this.#bodyMax > 0) this.#body.addHead(request.fields)
    this.#captures = [this.#body]
    this.#onStage = live
    this.#live = live ? 'candidate' : 'primary'
    around.open.count++
  }

  /** For the live leg, or for the one that takes its place. */
  watchLive(): LegWatch {
    const { budget, clock, primary } = this.#around
    const role = this.#live
    const leg = new LiveLeg(clock, new BodyCapture(budget, this.#bodyMax))
    this.#keep(leg.body)
    const watch: LegWatch = {
      responded: (status, fields) => leg.responded(status, fields),
      responseData: (data) => leg.body.add(data),
      ended: (end) => this.#legEnded(role, leg.outcome(end, this.#requestEndedAt)),
    }
    if (role === 'candidate') {
      watch.instead = () => {
        this.#live = 'primary'
        return { upstreams: primary, watch: this.watchLive() }
      }
    }
    return watch
  }

  requestData(data: Buffer): void {
    this.#body.add(data)
  }

  requestEnded(isComplete: boolean): void {
    if (this.#requestEndedAt !== undefined) return
    this.#requestEndedAt = this.#around.clock.monotonic()
    const found = isComplete ? this.#correlationInBody() : undefined
    if (!(found instanceof Promise)) {
      this.#decide(isComplete, found)
      return
    }
    this.#underWay++
    found.then((id) => {
      this.#underWay--
      const step = () => this.#decide(isComplete, id)
      if (!this.#around.guard('deciding what is mirrored', step)) this.#releaseWhenOver()
    })
  }

  #correlationInBody(): ReturnType<typeof findCorrelation> {
    const { correlation } = this.#route
    if (!('pointer' in correlation) || this.#body.lost !== undefined) return undefined
    return findCorrelation(this.#body.toBuffer(), this.#request.fields, correlation.pointer, this.#bodyMax)
  }

  #decide(isComplete: boolean, correlationInBody: string | undefined): void {
    const { ledger, newId } = this.#around
    if (correlationInBody !== undefined) this.#correlationId = correlationInBody
    for (const understudy of this.#route.understudies) {
      const entry = ledger.see(understudy.validation, this.#at, this.#body.bytes)
      const reason = this.#reasonToSkip(understudy, isComplete)
      if (reason !== undefined) ledger.skip(entry, reason)
      else this.#pairs.push({ understudy, id: newId(), entry, outcome: undefined, isSettled: false })
    }
    if (this.#pairs.length > 0) this.#sendShadows()
    this.#settle()
  }

  #reasonToSkip({ config }: Understudy, isComplete: boolean): SkipReason | undefined {
    if (!isSampled(this.#correlationId, config.share)) return 'notSampled'
    if (!isComplete) return 'aborted'
    if (this.#body.lost !== undefined) return this.#body.lost
    const isCompared = this.#live === 'primary' || this.#routing[this.#onStage!.validation]?.reverseShadow
    return isCompared ? undefined : 'notSampled'
  }

  /** False where it is known before the body that no understudy has it in its sample. */
  #mayBeSampled(): boolean {
    const { correlation, understudies } = this.#route
    return 'pointer' in correlation || understudies.some(({ config }) => isSampled(this.#correlationId, config.share))
  }

  #sendShadows(): void {
    if (this.#live === 'candidate') {
      const copy = (outcome: LegOutcome) => this.#legEnded('primary', outcome)
      this.#offer(this.#onStage!, 'primary', this.#pairs[0]!.id, copy)
    }
    for (const pair of this.#pairs) {
      if (pair.understudy === this.#onStage) continue
      this.#offer(pair.understudy, 'candidate', pair.id, (outcome) => {
        pair.outcome = outcome
        this.#settle()
      })
    }
  }

  #offer(understudy: Understudy, leg: Leg, id: string, done: (outcome: LegOutcome) => void): void {
    const { method, target, fields } = this.#request
    const { isDropped, guard, shadowEnded, primary } = this.#around
    const { validation, upstreams } = understudy
    const span = this.#trace?.shadow(validation, leg, (leg === 'primary' ? primary : upstreams).upstreams[0]!.target)
    const queue = leg === 'primary' ? understudy.reverseShadows : understudy.shadows
    queue.offer(
      () => {
        // nobody waits for it any more, and the body is gone
        if (this.#isOver) return undefined
        let request: ShadowRequest | undefined
        guard('building a shadow request', () => {
          const sent = shadowFields(span ? span.sent(fields) : fields, isDropped, id)
          request = { method, path: target, fields: sent, body: this.#body.toBuffer() }
        })
        return request
      },
      (outcome) => {
        if (outcome.kind === 'answered') this.#keep(outcome.body)
        guard('the end of a shadow request', () => {
          done(outcome)
          shadowEnded(validation, leg, outcome)
          span?.ended(outcome)
        })
      },
    )
  }

  #legEnded(leg: Leg, outcome: LegOutcome): void {
    if (leg === 'primary') this.#primaryOutcome ??= outcome
    else this.#stageOutcome = outcome
    this.#settle()
  }

  #settle(): void {
    for (const pair of this.#pairs) {
      const outcome = pair.understudy === this.#onStage ? this.#stageOutcome : pair.outcome
      if (pair.isSettled || !outcome || !this.#primaryOutcome) continue
      pair.isSettled = true
      // what our own limits kept from one side says nothing about the other
      if (outcome.kind === 'shed' || this.#primaryOutcome.kind === 'shed') this.#around.ledger.skip(pair.entry, 'shed')
      else {
        this.#tellRefusedCopy(pair, outcome, this.#primaryOutcome)
        this.#record(pair, outcome, this.#primaryOutcome)
      }
    }
    this.#releaseWhenOver()
  }

  #tellRefusedCopy({ understudy }: Pair, candidate: LegOutcome, primary: LegOutcome): void {
    const [live, copy] = understudy === this.#onStage ? [candidate, primary] : [primary, candidate]
    if (copy.kind !== 'answered' || (copy.status !== 401 && copy.status !== 403)) return
    if (live.kind === 'answered' && live.status < 400) this.#around.copyRefused(understudy.validation, copy.status)
  }

  #record(pair: Pair, candidateOutcome: LegOutcome, primaryOutcome: LegOutcome): void {
    const { accept, guard, ledger, rules } = this.#around
    const finish = (build: () => void) => {
      if (!guard('building an observation', build)) ledger.skip(pair.entry, 'shed')
    }
    finish(() => {
      const { method, target, fields } = this.#request
      const hold = (decoded: Buffer) => this.#hold(decoded)
      this.#requestCopy ??= requestOnWire(method, target, fields, this.#body.toBuffer(), rules, hold)
      this.#primaryCopy ??= outcomeOnWire(primaryOutcome, rules, hold)
      const request = this.#requestCopy
      const primary = this.#primaryCopy
      const candidate = outcomeOnWire(candidateOutcome, rules, hold)
      const bytes =
        request instanceof Promise || primary instanceof Promise || candidate instanceof Promise
          ? Promise.all([request, primary, candidate]).then((copies) => this.#observed(pair, ...copies))
          : this.#observed(pair, request, primary, candidate)
      if (!(bytes instanceof Promise)) return accept(bytes!, pair.entry)
      this.#underWay++
      bytes
        .then(
          (observation) =>
            observation ? finish(() => accept(observation, pair.entry)) : ledger.skip(pair.entry, 'shed'),
          (error) =>
            finish(() => {
              throw error
            }),
        )
        .finally(() => {
          this.#underWay--
          this.#releaseWhenOver()
        })
    })
  }

  /** Undefined where there was no room for one of them. */
  #observed(
    { id, entry }: Pair,
    request: UncodedObservation['request'] | undefined,
    primary: UncodedObservation['primary'] | undefined,
    candidate: UncodedObservation['candidate'] | undefined,
  ): Buffer | Promise<Buffer> | undefined {
    if (!request || !primary || !candidate) return undefined
    return observationBytes({
      id,
      validation: entry.validation,
      at: new Date(this.#at).toISOString(),
      correlationId: this.#correlationId,
      live: this.#live,
      request,
      primary,
      candidate,
    })
  }

  /** What a body became when it was decoded, for as long as the exchange holds on to it. */
  #hold(decoded: Buffer): boolean {
    const body = new BodyCapture(this.#around.budget, this.#bodyMax)
    body.add(decoded)
    this.#keep(body)
    return body.lost === undefined
  }

  #keep(body: BodyCapture): void {
    if (this.#isOver) body.release()
    else this.#captures.push(body)
  }

  #releaseWhenOver(): void {
    if (this.#isOver || this.#requestEndedAt === undefined || this.#underWay > 0) return
    if (this.#pairs.some((pair) => !pair.isSettled)) return
    this.#isOver = true
    this.#around.open.count--
    for (const body of this.#captures) body.release()
  }
}
