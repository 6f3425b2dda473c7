import type { SkipReason } from '../../vocabulary/coverage.ts'
import type { Leg } from '../../vocabulary/leg.ts'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import type { BodyCapture } from '../capture/body-capture.ts'
import { HeldBodies } from '../capture/held-bodies.ts'
import { type LegOutcome, refusalOfCopy } from '../capture/leg-outcome.ts'
import type { Entry } from '../ledger/entry.ts'
import type { LegWatch, RequestWatch, WhyPassedOn } from '../live/live-watch.ts'
import { isSampled } from '../sampling.ts'
import type { Understudy } from '../shadow/understudy.ts'
import { BreakerEvidence } from './breaker-evidence.ts'
import type { ExchangeContext, ExchangeStart } from './exchange-context.ts'
import { findCorrelation } from './find-correlation.ts'
import { GuardedWork } from './guarded-work.ts'
import { LiveLeg } from './live-leg.ts'
import { ObservationWriter } from './observation-writer.ts'
import { sendCopy } from './send-copy.ts'

/** One validation's side of an exchange. */
interface Pair {
  understudy: Understudy
  id: string
  entry: Entry
  isSettled: boolean
}

/**
 * One client request on a mirrored route:
 *
 *     request has ended ──▶ decided: counted as seen, and per validation skipped or paired and copied ──┐
 *     live response has ended ──────────────────────────────────────────────────────────────────────────┴─▶ pair settled
 *     every pair is settled ──▶ over: memory is released
 *
 * An exchange is counted as seen when the client's request has ended in one way or another, since only then its size is
 * known. If a candidate is live, the primary's outcome is either that of the reverse shadow or that of the answer given
 * in the candidate's place, never both; without either there is nothing to compare.
 */
export class Exchange implements RequestWatch {
  readonly #context: ExchangeContext
  readonly #start: ExchangeStart
  readonly #at: EpochMs
  readonly #held: HeldBodies
  readonly #body: BodyCapture
  readonly #observations: ObservationWriter
  #correlationId: string
  readonly #onStage: Understudy | undefined
  /** Evidence about the candidate that the routing chose. */
  readonly #evidence: BreakerEvidence | undefined
  /** The leg whose answer the client gets. */
  #live: Leg
  /** Whether the client's answer has begun, or none will come: no other upstream is asked any more. */
  #isLiveDecided = false
  #requestEndedAt: Milliseconds | undefined
  #pairs: Pair[] = []
  #primaryOutcome: LegOutcome | undefined
  readonly #candidateOutcomes = new Map<Understudy, LegOutcome>()
  /** The exchange keeps its memory while a step is under way. */
  readonly #work: GuardedWork

  constructor(context: ExchangeContext, start: ExchangeStart) {
    const { request, correlationId, chosen, isOnStage } = start
    this.#context = context
    this.#start = start
    this.#at = context.clock.now()
    this.#correlationId = correlationId
    this.#onStage = isOnStage ? chosen : undefined
    this.#live = isOnStage ? 'candidate' : 'primary'
    if (chosen) this.#evidence = new BreakerEvidence(chosen.liveBreaker!, context.primary, context.clock)
    // bodies are not kept for an exchange that no candidate will get
    const bodyMax = mayBeSampled(start) ? context.rules.bodyMax : 0
    this.#held = new HeldBodies(context.budget, bodyMax)
    this.#body = this.#held.capture()
    if (bodyMax > 0) this.#body.addHead(request.fields)
    this.#observations = new ObservationWriter(context.rules, request, this.#body, this.#held)
    this.#work = new GuardedWork(context.guard, () => this.#endWhenOver())
    context.open.count++
  }

  /** A watch for the live leg, or for the leg that replaces it. */
  watchLive(): LegWatch {
    const who = this.#live === 'primary' ? 'primary' : this.#onStage!
    const leg = new LiveLeg(this.#context.clock, this.#held.capture())
    const evidence = this.#evidence
    const watch: LegWatch = {
      responded: (status, fields) => {
        leg.responded(status, fields)
        if (who === 'primary') evidence?.primaryResponded(status)
        else evidence?.candidateResponded(status)
        this.#liveDecided()
      },
      responseData: (data) => leg.body.add(data),
      ended: (end) => {
        if (who === 'primary') evidence?.primaryEnded(end)
        else evidence?.candidateEnded(end)
        this.#liveDecided()
        this.#legEnded(who, leg.outcome(end, this.#requestEndedAt))
      },
    }
    if (who !== 'primary') watch.fallback = (why) => this.#passOn(who, why)
    return watch
  }

  #passOn({ validation }: Understudy, why: WhyPassedOn): ReturnType<NonNullable<LegWatch['fallback']>> {
    this.#live = 'primary'
    this.#evidence?.passedOn()
    this.#context.passedOn(validation, why)
    return { upstreams: this.#context.primary, watch: this.watchLive() }
  }

  requestData(data: Buffer): void {
    this.#body.add(data)
  }

  requestEnded(isComplete: boolean): void {
    if (this.#requestEndedAt !== undefined) return
    this.#requestEndedAt = this.#context.clock.monotonic()
    if (isComplete) this.#evidence?.requestIsWhole()
    this.#work.run(
      'deciding what is mirrored',
      () => (isComplete ? this.#correlationInBody() : undefined),
      (found = this.#correlationId) => {
        this.#correlationId = found
        this.#decide(isComplete)
      },
      () => this.#endWhenOver(),
    )
  }

  #correlationInBody(): ReturnType<typeof findCorrelation> {
    const { request, route } = this.#start
    if (!('pointer' in route.correlation) || this.#body.lost !== undefined) return undefined
    return findCorrelation(
      this.#body.toBuffer(),
      request.fields,
      route.correlation.pointer,
      this.#context.rules.bodyMax,
    )
  }

  #decide(isComplete: boolean): void {
    const { ledger, newId } = this.#context
    for (const understudy of this.#start.route.understudies) {
      const entry = ledger.see(understudy.validation, this.#at, this.#body.bytes)
      const reason = this.#reasonToSkip(understudy, isComplete)
      if (reason !== undefined) ledger.skip(entry, reason)
      else this.#pairs.push({ understudy, id: newId(), entry, isSettled: false })
    }
    this.#sendCopies()
    this.#settle()
  }

  #reasonToSkip(understudy: Understudy, isComplete: boolean): SkipReason | undefined {
    const { chosen, routing } = this.#start
    if (!isSampled(this.#correlationId, understudy.config.share)) return 'notSampled'
    if (!isComplete) return 'aborted'
    if (this.#body.lost !== undefined) return this.#body.lost
    // regardless of who answers: a sample of only the candidate's failures would say nothing about their rate
    const isCompared = !chosen || routing[chosen.validation]?.reverseShadow
    return isCompared ? undefined : 'notSampled'
  }

  #sendCopies(): void {
    if (this.#isLiveDecided) this.#copyToPrimary()
    for (const { understudy, id } of this.#pairs) {
      // the live candidate got the request itself
      if (understudy !== this.#onStage) this.#send('candidate', understudy, id)
    }
  }

  #liveDecided(): void {
    if (this.#isLiveDecided) return
    this.#isLiveDecided = true
    this.#copyToPrimary()
  }

  /**
   * Waits until the live leg is decided: a primary that answers in the candidate's place must not get the request
   * twice.
   */
  #copyToPrimary(): void {
    // one copy serves all pairs, including those of other candidates
    const [first] = this.#pairs
    if (first && this.#live === 'candidate') this.#send('primary', this.#onStage!, first.id)
  }

  #send(leg: Leg, understudy: Understudy, id: string): void {
    const original = { ...this.#start, body: this.#body, held: this.#held }
    sendCopy(original, { leg, understudy, id }, this.#context, (outcome) =>
      this.#legEnded(leg === 'primary' ? leg : understudy, outcome),
    )
  }

  #legEnded(who: 'primary' | Understudy, outcome: LegOutcome): void {
    if (who !== 'primary') this.#candidateOutcomes.set(who, outcome)
    else this.#primaryOutcome = outcome
    this.#settle()
  }

  #settle(): void {
    const primary = this.#primaryOutcome
    for (const pair of this.#pairs) {
      const candidate = this.#candidateOutcomes.get(pair.understudy)
      if (pair.isSettled || !primary || !candidate) continue
      pair.isSettled = true
      this.#record(pair, primary, candidate)
    }
    this.#endWhenOver()
  }

  #record({ understudy, id, entry }: Pair, primary: LegOutcome, candidate: LegOutcome): void {
    const { accept, copyRefused, ledger } = this.#context
    const shed = () => ledger.skip(entry, 'shed')
    if (primary.kind === 'shed' || candidate.kind === 'shed') {
      // if our own limits kept the request from one side, the other side's outcome proves nothing
      shed()
      return
    }
    const { validation } = entry
    const [live, copy] = understudy === this.#onStage ? [candidate, primary] : [primary, candidate]
    const refusal = refusalOfCopy(live, copy)
    if (refusal !== undefined) copyRefused(validation, refusal)
    const at = new Date(this.#at).toISOString()
    const about = { id, validation, at, correlationId: this.#correlationId, live: this.#live }
    this.#work.run(
      'building an observation',
      () => this.#observations.write(about, primary, candidate),
      (observation) => (observation ? accept(observation, entry) : shed()),
      shed,
    )
  }

  #endWhenOver(): void {
    if (this.#held.isReleased || this.#requestEndedAt === undefined || this.#work.isUnderWay) return
    if (this.#pairs.some((pair) => !pair.isSettled)) return
    this.#context.open.count--
    this.#held.release()
  }
}

/** False if it is already known, before the body, that no understudy samples the exchange. */
function mayBeSampled({ route: { correlation, understudies }, correlationId }: ExchangeStart): boolean {
  if ('pointer' in correlation) return true
  return understudies.some(({ config }) => isSampled(correlationId, config.share))
}
