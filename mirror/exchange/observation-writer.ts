import type { BodyCapture } from '../capture/body-capture.ts'
import type { HeldBodies } from '../capture/held-bodies.ts'
import type { LegOutcome } from '../capture/leg-outcome.ts'
import type { LiveRequest } from '../live/live-watch.ts'
import { observationBytes, type UncodedObservation } from './observation-bytes.ts'
import { outcomeOnWire, requestOnWire, type WireRules } from './wire-form.ts'

type About = Omit<UncodedObservation, 'request' | 'primary' | 'candidate'>

/**
 * Writes the observations of one exchange. All share its request and its primary's outcome, which are serialised once.
 */
export class ObservationWriter {
  readonly #rules: WireRules
  readonly #request: LiveRequest
  readonly #body: BodyCapture
  readonly #held: HeldBodies
  #requestOnWire: ReturnType<typeof requestOnWire> | undefined
  #primaryOnWire: ReturnType<typeof outcomeOnWire> | undefined

  constructor(rules: WireRules, request: LiveRequest, body: BodyCapture, held: HeldBodies) {
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
    this.#requestOnWire ??= requestOnWire(this.#request, this.#body.toBuffer(), this.#rules, hold)
    this.#primaryOnWire ??= outcomeOnWire(primaryOutcome, this.#rules, hold)
    const request = this.#requestOnWire
    const primary = this.#primaryOnWire
    const candidate = outcomeOnWire(candidateOutcome, this.#rules, hold)
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
