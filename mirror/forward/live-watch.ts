import type { Milliseconds } from '../../vocabulary/units.ts'
import type { ByteBudget } from '../exchange/byte-budget.ts'
import type { Fields } from '../http1/fields.ts'
import type { RequestTrace } from '../observe/request-trace.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { UpstreamGroup } from '../upstream/upstream-group.ts'
import type { LiveHeaders } from './live-headers.ts'

export type LiveEnd = 'answered' | 'timedOut' | 'refused' | 'reset' | 'aborted'

/** What of a client's request both forwarders know the same way. */
export interface LiveRequest {
  method: string
  /** A path with its query, or `*`. */
  target: string
  fields: Fields
  /** Undefined where the client has left already, or came over a Unix socket. */
  clientAddress: string | undefined
  isTls: boolean
  /** As the client speaks it: `1.0`, `1.1` or `2`. */
  httpVersion: string
  /** Written here by `choose`, for whoever records the request: the route that mirrors it, its correlation id, spans. */
  route?: string | undefined
  correlationId?: string | undefined
  trace?: RequestTrace | undefined
}

/** Told what passes of one client's request, beside the streams; nothing that it does or throws reaches them. */
export interface RequestWatch {
  requestData(data: Buffer): void
  /** Once, when the request is whole or will never be. */
  requestEnded(isComplete: boolean): void
}

/** The same of one response. */
export interface LegWatch {
  /** The response's head is here; its body has not begun to flow. */
  responded(status: number, fields: Fields): void
  responseData(data: Buffer): void
  /** The last thing to happen. */
  ended(end: LiveEnd): void
  /** The upstreams failed before they answered anything: others to ask. */
  instead?(): { upstreams: UpstreamGroup; watch: LegWatch | undefined }
}

/** What is decided of a request before its first byte goes out. */
export interface LiveChoice {
  upstreams: UpstreamGroup
  request: RequestWatch | undefined
  response: LegWatch | undefined
}

/** What a live request is carried by and watched from; another one after a reload. */
export interface LiveStage {
  readonly forwarder: 'wire' | 'http-proxy-3'
  readonly headers: LiveHeaders
  readonly primary: UpstreamGroup
  readonly budget: ByteBudget
  /** The longest silence of an upstream when it is its turn. */
  readonly silenceMaxMs: Milliseconds
  /** Of a client's connection between two requests. */
  readonly idleMaxMs: Milliseconds
  /** Every choice is followed by one `ended`. */
  choose(request: LiveRequest): LiveChoice
  /** Runs a step, whatever it throws, and says whether it went well. */
  guard(what: string, step: () => void): boolean
  /** Every live request, mirrored or not, once. */
  ended(record: LiveRecord): void
  /** Which primary a request for another protocol goes to; that is followed by one `handshakeEnded`. */
  chooseForHandshake(request: LiveRequest): Upstream
  /** Its times are the handshake's. */
  handshakeEnded(record: LiveRecord): void
}

/** One live request that is over: for metrics and log. */
export interface LiveRecord {
  request: LiveRequest
  /** Where the client's response came from, or should have. */
  upstream: Upstream
  end: LiveEnd
  /** The upstream's, or 502 and 504 of our own; undefined where the client got none. */
  status: number | undefined
  /** Of the bodies, without the framing of chunks. */
  requestBytes: number
  responseBytes: number
  /** To the response's head, and in all, from the moment that the request's head was here. */
  ttfbMs: number | undefined
  totalMs: number
}
