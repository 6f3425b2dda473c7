import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import type { ByteBudget } from '../capture/byte-budget.ts'
import type { Guard } from '../guard.ts'
import { LiveRecord } from '../live/live-record.ts'
import type { LegWatch, LiveEnd, LiveRequest, RequestWatch, WhyPassedOn } from '../live/live-watch.ts'
import type { RequestTrace } from '../tracing/request-trace.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { UpstreamGroup } from '../upstream/upstream-group.ts'
import type { LiveHeaders } from './live-headers.ts'

/** What is decided about a request before its first byte is sent. */
export interface LiveChoice {
  upstreams: UpstreamGroup
  request: RequestWatch | undefined
  response: LegWatch | undefined
  record: LiveRecord
  /** Set if the request is traced. */
  trace: RequestTrace | undefined
}

/** Where a live request is sent, and what observes it there. */
export interface Leg {
  upstreams: UpstreamGroup
  upstream: Upstream
  /** Those of `upstreams` that have already failed. */
  tried: readonly Upstream[]
  watch: LegWatch | undefined
  /** Set if this leg stands in for a live candidate. */
  passedOn: WhyPassedOn | undefined
}

/** The choice for a request that is forwarded and not mirrored. */
export const onlyForwarded = (
  request: LiveRequest,
  upstreams: UpstreamGroup,
  trace: RequestTrace | undefined,
): LiveChoice => ({
  upstreams,
  request: undefined,
  response: undefined,
  record: new LiveRecord(request, trace?.traceId),
  trace,
})

/** What a live request needs of its stage; a reload replaces the stage. */
export interface LiveStage {
  readonly forwarder: 'wire' | 'http-proxy-3'
  readonly headers: LiveHeaders
  readonly budget: ByteBudget
  /** The most of a request's body that is held for another try. */
  readonly replayMax: Bytes
  /** The longest silence allowed to an upstream when it is its turn. */
  readonly silenceMaxMs: Milliseconds
  /** The longest idle time of a client's connection between two requests. */
  readonly idleMaxMs: Milliseconds
  /** The caller must call `ended` once for every choice. */
  choose(request: LiveRequest): LiveChoice
  /** `choose` for a request to switch protocols, which always goes to the primary; it ends with its handshake. */
  chooseForHandshake(request: LiveRequest): LiveChoice
  /** `leg`: the last one. Tells its watch, and everyone who keeps records. */
  ended(choice: LiveChoice, leg: Pick<Leg, 'upstream' | 'watch' | 'passedOn'>, end: LiveEnd): void
  guard: Guard
}
