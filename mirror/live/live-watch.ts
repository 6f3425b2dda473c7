import type { Fields } from '../http1/fields.ts'
import type { UpstreamGroup } from '../upstream/upstream-group.ts'

/** `shed`: our own system had no file descriptor, port or memory left for a connection. */
export type LiveEnd = 'answered' | 'timedOut' | 'refused' | 'reset' | 'shed' | 'aborted'

/** Why the upstream gave no answer. */
export type LiveFailure = Exclude<LiveEnd, 'answered' | 'aborted'>
/**
 * Why a live candidate's request was passed on to the primary: the candidate did not answer, or answered with a status
 * that means so. `aborted`: the client had ended its side, which may be the cause.
 */
export type WhyPassedOn = LiveFailure | 'aborted' | '502' | '503' | '504'

/**
 * Statuses by which a gateway reports the same failures of its own upstream that we see ourselves: broken, unreachable,
 * too slow.
 */
export const noAnswerStatuses: ReadonlyMap<number, WhyPassedOn> = new Map([
  [502, '502'],
  [503, '503'],
  [504, '504'],
])

/** A client's request as both forwarders present it. */
export interface LiveRequest {
  readonly method: string
  /** A path with its query, or `*`. */
  readonly target: string
  readonly fields: Fields
  /** Undefined if the client has already left or came over a Unix socket. */
  readonly clientAddress: string | undefined
  readonly isTls: boolean
  /** As the client speaks it: `1.0`, `1.1` or `2`. */
  readonly httpVersion: string
}

/** Observes one client's request as it passes. Nothing that it does or throws reaches the streams. */
export interface RequestWatch {
  requestData(data: Buffer): void
  /** Called once, when the request is complete or never will be. */
  requestEnded(isComplete: boolean): void
}

/** Observes one response in the same way. */
export interface LegWatch {
  /** The response's head has arrived; its body has not begun to flow. */
  responded(status: number, fields: Fields): void
  responseData(data: Buffer): void
  /** Always the last call. */
  ended(end: LiveEnd): void
  /**
   * Called when these upstreams gave no answer fit for the client. Returns other upstreams to ask, or undefined. The
   * observation of the failed response continues.
   */
  fallback?(why: WhyPassedOn): { upstreams: UpstreamGroup; watch: LegWatch | undefined } | undefined
}
