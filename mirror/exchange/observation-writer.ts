import type { BodyCapture } from '../capture/body-capture.ts'
import type { HeldBodies } from '../capture/held-bodies.ts'
import type { LegOutcome } from '../capture/leg-outcome.ts'
import type { LiveRequest } from '../live/live-watch.ts'
import { observationBytes, type UncodedObservation } from './observation-bytes.ts'
import { type ObservationRules, observedOutcome, observedRequest } from './observation-parts.ts'

type About = Omit<UncodedObservation, 'request' | 'primary' | 'candidate'>

/**
 * Writes the observations of one exchange. All share its request and its primary's outcome, which are serialised once.
 */
export class ObservationWriter {
  readonly #rules: ObservationRules
  readonly #request: LiveRequest
  readonly #body: BodyCapture
  readonly #held: HeldBodies
  #observedRequest: ReturnType<typeof observedRequest> | undefined
  #observedPrimary: ReturnType<typeof observedOutcome> | undefined

  constructor(rules: ObservationRules, request: LiveRequest, body: BodyCapture, held: HeldBodies) {
    this.#rules = rules
    this.#request = request
    this.#body = body
    this.#held = held
  }

  /**
   * `primaryOutcome` must be the same in every call. Returns a promise only if something must be decoded or is long, so
   * that the common case costs no turn of the event loop; undefined if there is no room for a decoded body.
   */
  write(
    about: About,
    primaryOutcome: LegOutcome,
    candidateOutcome: LegOutcome,
  ): Buffer | undefined | Promise<Buffer | undefined> {
    const hold = (decoded: Buffer) => this.#held.hold(decoded)
    this.#observedRequest ??= observedRequest(this.#request, this.#body.toBuffer(), this.#rules, hold)
    this.#observedPrimary ??= observedOutcome(primaryOutcome, this.#rules, hold)
    const request = this.#observedRequest
    const primary = this.#observedPrimary
    const candidate = observedOutcome(candidateOutcome, this.#rules, hold)
    return request instanceof Promise || primary instanceof Promise || candidate instanceof Promise
      ? Promise.all([request, primary, candidate]).then((parts) => bytesOf(about, ...parts))
      : bytesOf(about, request, primary, candidate)
  }
}

/** Undefined if any part is. */
const bytesOf = (
  about: About,
  request: UncodedObservation['request'] | undefined,
  primary: UncodedObservation['primary'] | undefined,
  candidate: UncodedObservation['candidate'] | undefined,
) => request && primary && candidate && observationBytes({ ...about, request, primary, candidate })
