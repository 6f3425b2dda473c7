import type { Clock } from '../../runtime/clock.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { BodyCapture } from '../capture/body-capture.ts'
import type { LegOutcome } from '../capture/leg-outcome.ts'
import type { Fields } from '../http1/fields.ts'
import type { LiveEnd } from '../live/live-watch.ts'

/** Times and captures the client's response, beside the streams. */
export class LiveLeg {
  readonly body: BodyCapture
  readonly #clock: Clock
  readonly #startedAt: Milliseconds
  #head: { status: number; fields: Fields; at: Milliseconds } | undefined

  constructor(clock: Clock, body: BodyCapture) {
    this.#clock = clock
    this.body = body
    this.#startedAt = clock.monotonic()
  }

  responded(status: number, fields: Fields): void {
    this.#head = { status, fields, at: this.#clock.monotonic() }
    this.body.addHead(fields)
  }

  /** `requestEndedAt`: when the client's whole request had passed; undefined if it has not. */
  outcome(end: LiveEnd, requestEndedAt: Milliseconds | undefined): LegOutcome {
    const endedAt = this.#clock.monotonic()
    const sentAt = this.#sentAt(requestEndedAt)
    const totalMs = endedAt - sentAt
    if (!this.#head) return { kind: end === 'answered' ? 'reset' : end, totalMs }
    const { status, fields, at } = this.#head
    if (end !== 'answered') return { kind: end, totalMs, fields }
    if (this.body.lost !== undefined) return { kind: this.body.lost, totalMs, fields }
    return { kind: 'answered', status, fields, body: this.body, ttfbMs: at - sentAt, totalMs }
  }

  /** If the answer began before the request was complete, only the request's beginning is a fair start. */
  #sentAt(requestEndedAt: Milliseconds | undefined): Milliseconds {
    if (requestEndedAt === undefined || (this.#head && this.#head.at < requestEndedAt)) return this.#startedAt
    return Math.max(this.#startedAt, requestEndedAt)
  }
}
