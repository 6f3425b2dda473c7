import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import type { ByteBudget } from '../exchange/byte-budget.ts'
import type { Guard } from '../guard.ts'
import type { RequestTrace } from '../observe/request-trace.ts'
import type { UpstreamGroup } from '../upstream/upstream-group.ts'
import type { LiveHeaders } from './live-headers.ts'
import type { LegWatch, LiveRecord, LiveRequest, RequestWatch } from './live-watch.ts'

/** What is decided of a request before its first byte goes out. */
export interface LiveChoice {
  upstreams: UpstreamGroup
  request: RequestWatch | undefined
  response: LegWatch | undefined
  /** For whoever records the request: the route that mirrors it, and its correlation id. */
  route: string | undefined
  correlationId: string | undefined
  /** Where it is traced. */
  trace: RequestTrace | undefined
}

/** What is carried and not mirrored. */
export const onlyForwarded = (upstreams: UpstreamGroup, trace: RequestTrace | undefined): LiveChoice => ({
  upstreams,
  request: undefined,
  response: undefined,
  route: undefined,
  correlationId: undefined,
  trace,
})

/** What a live request is carried by and watched from; another one after a reload. */
export interface LiveStage {
  readonly forwarder: 'wire' | 'http-proxy-3'
  readonly headers: LiveHeaders
  readonly budget: ByteBudget
  /** Of a request's body that is held for another try. */
  readonly replayMax: Bytes
  /** The longest silence of an upstream when it is its turn. */
  readonly silenceMaxMs: Milliseconds
  /** Of a client's connection between two requests. */
  readonly idleMaxMs: Milliseconds
  /** Followed by one `ended`. */
  choose(request: LiveRequest): LiveChoice
  /** Runs a step, whatever it throws, and says whether it went well. */
  guard: Guard
  /** Every live request, mirrored or not, once; with the trace of its choice. */
  ended(record: LiveRecord, trace: RequestTrace | undefined): void
  /** The same for a request for another protocol, which is the primary's; followed by one `handshakeEnded`. */
  chooseForHandshake(request: LiveRequest): LiveChoice
  /** Its times are the handshake's. */
  handshakeEnded(record: LiveRecord, trace: RequestTrace | undefined): void
}
