import { answeredByHeader } from '../../vocabulary/headers.ts'
import { field } from '../http1/fields.ts'
import type { ResponseHead } from '../http1/response-head.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { UpstreamGroup } from '../upstream/upstream-group.ts'
import type { LiveChoice, LiveStage } from './live-stage.ts'
import { type LegWatch, type LiveFailure, saysNone, type WhyPassedOn } from './live-watch.ts'
import { Replay } from './replay.ts'
import { SetAside } from './set-aside.ts'

/** Whom a live request is sent to, and who is told of it. */
export interface Leg {
  upstreams: UpstreamGroup
  upstream: Upstream
  /** Others of `upstreams` that failed before. */
  tried: readonly Upstream[]
  watch: LegWatch | undefined
  /** In the place of a candidate that was live. */
  passedOn: WhyPassedOn | undefined
}

export interface NextTry {
  leg: Leg
  /** What of the request's has come so far. */
  body: readonly Buffer[]
  /** On a new connection: the ones that are idle may be as stale as the one that failed. */
  isFresh: boolean
}

/** For the client, on an answer of a leg that was `passedOn`. */
export const answeredByPrimary = field(answeredByHeader, 'primary')

const none: readonly Upstream[] = []
/** RFC 9110, 9.2.2: sent twice these do no more than once. */
const idempotent: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'])

/**
 * What comes after a leg that failed before the client saw anything of a response, while the whole request so far is
 * still here: after a connection that could not be made another upstream, since nothing was sent; after one that broke
 * the same on a fresh connection, then another, only where the method is idempotent; and the primary where a candidate
 * was live, whatever happened to that: it would have had a copy.
 */
export class Tries {
  readonly #stage: LiveStage
  readonly #method: string
  readonly #isIdempotent: boolean
  /** Only where there is another try to make. */
  readonly #replay: Replay | undefined
  #hasRetriedFresh = false
  #setAside: SetAside | undefined

  constructor(method: string, { upstreams, response }: LiveChoice, stage: LiveStage) {
    this.#stage = stage
    this.#method = method
    this.#isIdempotent = idempotent.has(method)
    const hasAlternative = upstreams.upstreams.length > 1 || response?.instead !== undefined
    if (hasAlternative || this.#isIdempotent) this.#replay = new Replay(stage.budget, stage.replayMax)
  }

  first({ upstreams, response: watch }: LiveChoice): Leg {
    return { upstreams, upstream: upstreams.next()!, tried: none, watch, passedOn: undefined }
  }

  keep(piece: Buffer): void {
    this.#replay?.keep(piece)
  }

  /** There will be no other try. May be called any number of times. */
  drop(): void {
    this.#replay?.drop()
    this.#setAside?.drop()
  }

  /** Undefined where that is not safe, or nobody is left to ask. A watch that the next leg does not have is told. */
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
    const instead = this.#insteadOf(watch, end)
    if (instead && watch) this.#stage.guard('the end of a live request', () => watch.ended(end))
    return instead && { leg: instead, body, isFresh: false }
  }

  /** Where it is a candidate's and says that there is no answer. The rest of it is for that one's watch, and `setAside`. */
  afterAnswer({ watch }: Leg, head: Pick<ResponseHead, 'status' | 'reason' | 'fields'>): NextTry | undefined {
    const body = this.#replay?.pieces
    const why = saysNone.get(head.status)
    const instead = body && why && this.#insteadOf(watch, why)
    if (!instead) return undefined
    this.#setAside = new SetAside(this.#method, head, this.#stage.budget)
    return { leg: instead, body, isFresh: false }
  }

  /** The answer that was not the last word after all where the next leg has none. */
  get setAside(): SetAside | undefined {
    return this.#setAside
  }

  #another({ upstreams, upstream, tried, watch, passedOn }: Leg, end: LiveFailure | 'aborted'): Leg | undefined {
    if (end === 'refused') upstreams.rest(upstream)
    else if (end !== 'reset' || !this.#isIdempotent) return undefined
    const allTried = [...tried, upstream]
    const another = upstreams.next(allTried)
    return another && { upstreams, upstream: another, tried: allTried, watch, passedOn }
  }

  #insteadOf(before: LegWatch | undefined, why: WhyPassedOn): Leg | undefined {
    let other: ReturnType<NonNullable<LegWatch['instead']>> | undefined
    this.#stage.guard('choosing another upstream', () => {
      other = before?.instead?.(why)
    })
    if (!other) return undefined
    const { upstreams, watch } = other
    return { upstreams, upstream: upstreams.next()!, tried: none, watch, passedOn: why }
  }
}
