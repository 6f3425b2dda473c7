import type { Fields } from '../http1/fields.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { UpstreamGroup } from '../upstream/upstream-group.ts'

export type LiveEnd = 'answered' | 'timedOut' | 'refused' | 'reset' | 'aborted'

/** Of the upstream. */
export type LiveFailure = Exclude<LiveEnd, 'answered' | 'aborted'>
/**
 * Why a live candidate's request went on to the primary: there was no answer, or one whose status says that there is none.
 * `aborted` where the client had ended its side, which may be why.
 */
export type WhyPassedOn = LiveFailure | 'aborted' | '502' | '503' | '504'

/** By these a server says of the one behind it what else we see ourselves: broken, away, too slow. */
export const saysNone: ReadonlyMap<number, WhyPassedOn> = new Map([
  [502, '502'],
  [503, '503'],
  [504, '504'],
])

/** What of a client's request both forwarders know the same way. */
export interface LiveRequest {
  readonly method: string
  /** A path with its query, or `*`. */
  readonly target: string
  readonly fields: Fields
  /** Undefined where the client has left already, or came over a Unix socket. */
  readonly clientAddress: string | undefined
  readonly isTls: boolean
  /** As the client speaks it: `1.0`, `1.1` or `2`. */
  readonly httpVersion: string
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
  /**
   * The upstreams had no answer that the client could be given: others to ask, undefined where there is none. What is told
   * of theirs goes on.
   */
  instead?(why: WhyPassedOn): { upstreams: UpstreamGroup; watch: LegWatch | undefined } | undefined
}

/** One live request that is over: for metrics and log. */
export interface LiveRecord {
  request: LiveRequest
  /** The one that mirrors it. */
  route: string | undefined
  correlationId: string | undefined
  /** Of the spans that are made of it. */
  traceId: string | undefined
  /** Where the client's response came from, or should have: the primary too where it had none and a candidate's is given. */
  upstream: Upstream
  /** Where that is the primary in a candidate's place. */
  passedOn: WhyPassedOn | undefined
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
