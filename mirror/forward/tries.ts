import { answeredByHeader } from '../../vocabulary/headers.ts'
import { field } from '../http1/fields.ts'
import type { ResponseHead } from '../http1/response-head.ts'
import { type LegWatch, type LiveFailure, noAnswerStatuses, type WhyPassedOn } from '../live/live-watch.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { Leg, LiveChoice, LiveStage } from './live-stage.ts'
import { Replay } from './replay.ts'
import { SetAside } from './set-aside.ts'

export interface NextTry {
  leg: Leg
  /** The part of the request's body that has arrived. */
  body: readonly Buffer[]
  /** Use a new connection: idle ones may be as stale as the one that failed. */
  isFresh: boolean
}

/** Added for the client to the answer of a leg that was `passedOn`. */
export const answeredByPrimary = field(answeredByHeader, 'primary')

const none: readonly Upstream[] = []
/** Methods that may be sent twice (RFC 9110, 9.2.2). */
const idempotent: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'])

/**
 * Decides what follows a leg that failed before the client saw any of a response, as long as all of the request so far
 * is still held:
 *
 * - if no connection could be made, another upstream, since nothing was sent;
 * - if the connection broke, and the method is idempotent: the same upstream on a fresh connection, once and only if
 *   the broken one had served before, then another upstream;
 * - if a candidate was live, the primary, whatever happened: the primary would have got a shadow copy anyway.
 */
export class Tries {
  readonly #stage: LiveStage
  readonly #method: string
  readonly #isIdempotent: boolean
  /** Only if another try is possible. */
  readonly #replay: Replay | undefined
  #hasRetriedFresh = false
  #setAside: SetAside | undefined

  constructor(method: string, { upstreams, response }: LiveChoice, stage: LiveStage) {
    this.#stage = stage
    this.#method = method
    this.#isIdempotent = idempotent.has(method)
    const hasAlternative = upstreams.upstreams.length > 1 || response?.fallback !== undefined
    if (hasAlternative || this.#isIdempotent) this.#replay = new Replay(stage.budget, stage.replayMax)
  }

  first({ upstreams, response: watch }: LiveChoice): Leg {
    return { upstreams, upstream: upstreams.next()!, tried: none, watch, passedOn: undefined }
  }

  keep(piece: Buffer): void {
    this.#replay?.keep(piece)
  }

  /** There will be no other try. Idempotent. */
  drop(): void {
    this.#replay?.drop()
    this.#setAside?.drop()
  }

  /**
   * The next try; undefined if none is safe or no upstream is left. Ends the failed leg's watch if the next leg has
   * another.
   */
  after(leg: Leg, end: LiveFailure | 'aborted', isReused: boolean): NextTry | undefined {
    const body = this.#replay?.pieces
    if (!body) return undefined
    if (end === 'reset' && this.#isIdempotent && isReused && !this.#hasRetriedFresh) {
      this.#hasRetriedFresh = true
      return { leg, body, isFresh: true }
    }
    const another = this.#another(leg, end)
    if (another) return { leg: another, body, isFresh: false }
    const { watch } = leg
    const fallback = this.#fallbackFor(watch, end)
    if (fallback && watch) this.#stage.guard('the end of a live request', () => watch.ended(end))
    return fallback && { leg: fallback, body, isFresh: false }
  }

  /**
   * The next try if a candidate's answer says that it has none. The rest of that answer goes to its own watch and to
   * `setAside`.
   */
  afterAnswer({ watch }: Leg, head: Pick<ResponseHead, 'status' | 'reason' | 'fields'>): NextTry | undefined {
    const body = this.#replay?.pieces
    const why = noAnswerStatuses.get(head.status)
    const fallback = body && why && this.#fallbackFor(watch, why)
    if (!fallback) return undefined
    this.#setAside = new SetAside(this.#method, head, this.#stage.budget)
    return { leg: fallback, body, isFresh: false }
  }

  /** The answer set aside, for the client if the next leg has none either. */
  get setAside(): SetAside | undefined {
    return this.#setAside
  }

  #another({ upstreams, upstream, tried, watch, passedOn }: Leg, end: LiveFailure | 'aborted'): Leg | undefined {
    if (end === 'refused') upstreams.rest(upstream)
    else if (end !== 'shed' && (end !== 'reset' || !this.#isIdempotent)) return undefined
    const allTried = [...tried, upstream]
    const another = upstreams.next(allTried)
    return another && { upstreams, upstream: another, tried: allTried, watch, passedOn }
  }

  #fallbackFor(before: LegWatch | undefined, why: WhyPassedOn): Leg | undefined {
    let other: ReturnType<NonNullable<LegWatch['fallback']>> | undefined
    this.#stage.guard('choosing another upstream', () => {
      other = before?.fallback?.(why)
    })
    if (!other) return undefined
    const { upstreams, watch } = other
    return { upstreams, upstream: upstreams.next()!, tried: none, watch, passedOn: why }
  }
}
