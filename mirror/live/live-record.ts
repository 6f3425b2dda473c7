import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import type { Fields } from '../http1/fields.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { LiveEnd, LiveRequest, WhyPassedOn } from './live-watch.ts'

/** One live request, for metrics, the access log and traces: measured while it is under way, whole once it is over. */
export class LiveRecord {
  readonly request: LiveRequest
  /** The trace that its spans belong to. */
  readonly traceId: string | undefined
  readonly #startedAt: Milliseconds = performance.now()
  /** The route that mirrors it. */
  route: string | undefined
  correlationId: string | undefined
  /** The upstream's status, or our own 502 or 504; undefined if the client got none. */
  status: number | undefined
  /** Of the upstream's answer; none for an answer of our own. */
  responseFields: Fields = []
  /** From the arrival of the request's head to the response's head. */
  ttfbMs: Milliseconds | undefined
  /** Body bytes, without chunk framing. */
  requestBytes: Bytes = 0
  responseBytes: Bytes = 0
  // set once it is over
  end!: LiveEnd
  totalMs!: Milliseconds
  /**
   * Where the client's response came from or should have come from: the primary even if it had no answer and the client
   * got the candidate's.
   */
  upstream!: Upstream
  /** What the connection to an upstream failed with: the last of them, if another was tried. */
  failure: string | undefined
  /** Set if that is the primary in a candidate's place. */
  passedOn: WhyPassedOn | undefined

  constructor(request: LiveRequest, traceId: string | undefined) {
    this.request = request
    this.traceId = traceId
  }

  /** The head of the client's response has arrived. */
  responded(status: number, fields: Fields): void {
    this.status = status
    this.responseFields = fields
    this.ttfbMs = performance.now() - this.#startedAt
  }

  over(end: LiveEnd, upstream: Upstream, passedOn: WhyPassedOn | undefined): void {
    this.end = end
    this.totalMs = performance.now() - this.#startedAt
    this.upstream = upstream
    this.passedOn = passedOn
  }
}
