import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import type { ByteBudget } from '../exchange/byte-budget.ts'
import type { Guard } from '../guard.ts'
import type { RequestTrace } from '../observe/request-trace.ts'
import type { UpstreamGroup } from '../upstream/upstream-group.ts'
import type { LiveHeaders } from './live-headers.ts'
import type { LegWatch, LiveRecord, LiveRequest, RequestWatch } from './live-watch.ts'

/** What is decided about a request before its first byte is sent. */
export interface LiveChoice {
  upstreams: UpstreamGroup
  request: RequestWatch | undefined
  response: LegWatch | undefined
  /** For logs and metrics: the route that mirrors the request, and its correlation id. */
  route: string | undefined
  correlationId: string | undefined
  /** Set if the request is traced. */
  trace: RequestTrace | undefined
}

/** The choice for a request that is forwarded and not mirrored. */
export const onlyForwarded = (upstreams: UpstreamGroup, trace: RequestTrace | undefined): LiveChoice => ({
  upstreams,
  request: undefined,
  response: undefined,
  route: undefined,
  correlationId: undefined,
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
  guard: Guard
  /** Called once for every live request, mirrored or not, with the trace of its choice. */
  ended(record: LiveRecord, trace: RequestTrace | undefined): void
  /** `choose` for a request to switch protocols, which always goes to the primary; followed by one `handshakeEnded`. */
  chooseForHandshake(request: LiveRequest): LiveChoice
  /** The record's times are those of the handshake alone. */
  handshakeEnded(record: LiveRecord, trace: RequestTrace | undefined): void
}
