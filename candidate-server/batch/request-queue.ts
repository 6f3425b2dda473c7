import type { Milliseconds, MonotonicMs } from '../../vocabulary/units.ts'

/** What the queue needs to know of a request. Times are of one monotonic clock. */
export interface Queued {
  /** Only requests of one key share a batch; `null` runs alone. */
  key: string | null
  rows: number
  /** Lower goes first. Requests of `shadowRank` wait for all others, and never share a batch with them. */
  rank: number
  arrivedAt: MonotonicMs
  expiresAt: MonotonicMs
}

export interface BatchLimits {
  /** Rows of a batch. A single request that brings more runs alone. */
  sizeMax: number
  /** How long a request waits for company, from its arrival. */
  delayMaxMs: Milliseconds
}

/** Of mirrored requests: nobody waits for their answers. Small enough that V8 keeps ranks without boxes. */
export const shadowRank = 2 ** 30

interface Lane<Request> {
  shadow: boolean
  /** By rank, then by arrival. */
  waiting: Request[]
}

interface Batch<Request> {
  lane: Lane<Request>
  size: number
  full: boolean
  dueAt: MonotonicMs
}

/**
 * Waiting requests of one model. It holds no timer: whoever owns it asks `takeBatch` whenever an instance is free,
 * and again at `wakeAt`. One lane for each key, so that the cost of a look grows with keys and not with requests.
 */
export class RequestQueue<Request extends Queued> {
  readonly #max: number
  readonly #lanes = new Map<string, Lane<Request>>()
  #limits: BatchLimits
  #length = 0
  /** No request expires before; it may be early where the one that would has left. */
  #nextExpiry = Number.POSITIVE_INFINITY

  constructor(max: number, limits: BatchLimits) {
    this.#max = max
    this.#limits = limits
  }

  get length(): number {
    return this.#length
  }

  /**
   * Which request is turned away where there is no room: this one or, where this one is live, the latest of the
   * shadows; `undefined` where there is room for all.
   */
  add(request: Request): Request | undefined {
    const displaced = this.#length < this.#max ? undefined : this.#displacedBy(request)
    if (displaced === request) return request
    if (displaced) this.remove(displaced)
    this.#insert(request)
    return displaced
  }

  /** Requests that were already accepted come back, over the limit if need be. */
  putBack(requests: readonly Request[]): void {
    for (const request of requests) this.#insert(request)
  }

  /** False where it was no longer waiting. */
  remove(request: Request): boolean {
    const lane = this.#lanes.get(laneOf(request))
    const at = lane?.waiting.indexOf(request) ?? -1
    if (at < 0) return false
    this.#cut(lane!, at, 1)
    return true
  }

  takeExpired(now: MonotonicMs): Request[] {
    if (now < this.#nextExpiry) return []
    const expired: Request[] = []
    this.#nextExpiry = Number.POSITIVE_INFINITY
    for (const lane of this.#lanes.values()) {
      for (let at = lane.waiting.length - 1; at >= 0; at--) {
        const { expiresAt } = lane.waiting[at]!
        if (expiresAt <= now) expired.push(...this.#cut(lane, at, 1))
        else this.#nextExpiry = Math.min(this.#nextExpiry, expiresAt)
      }
    }
    return expired.sort(byTurn)
  }

  takeAll(): Request[] {
    const all = [...this.#lanes.values()].flatMap(({ waiting }) => waiting)
    this.#lanes.clear()
    this.#length = 0
    return all.sort(byTurn)
  }

  /** The first batch in turn that is full or has waited long enough; `undefined` where none is. */
  takeBatch(now: MonotonicMs): Request[] | undefined {
    return this.#takeFirst(({ full, dueAt }) => full || dueAt <= now)
  }

  /** The first one in turn that waits for no company, only for an instance. */
  takeFullBatch(shadows: 'too' | 'not'): Request[] | undefined {
    return this.#takeFirst(({ full, lane }) => full && (shadows === 'too' || !lane.shadow))
  }

  #takeFirst(isMeant: (batch: Batch<Request>) => boolean): Request[] | undefined {
    let first: Batch<Request> | undefined
    for (const batch of this.#batches()) {
      if (!isMeant(batch)) continue
      if (!first || byTurn(batch.lane.waiting[0]!, first.lane.waiting[0]!) < 0) first = batch
    }
    return first && this.#cut(first.lane, 0, first.size)
  }

  /** When to look again: the next expiry or, given a free instance, the next batch's time; `undefined` when empty. */
  wakeAt(instanceFree: boolean): MonotonicMs | undefined {
    if (this.#length === 0) return undefined
    const dueAt = instanceFree ? this.#batches().map((batch) => batch.dueAt) : []
    return Math.min(this.#nextExpiry, ...dueAt)
  }

  /** One for each lane that may go now: shadows only where no live request waits, be it for company. */
  #batches(): Batch<Request>[] {
    const lanes = [...this.#lanes.values()].filter(({ waiting }) => waiting.length > 0)
    const live = lanes.filter(({ shadow }) => !shadow)
    return (live.length > 0 ? live : lanes).map((lane) => this.#batchOf(lane))
  }

  #batchOf(lane: Lane<Request>): Batch<Request> {
    const { sizeMax, delayMaxMs } = this.#limits
    const { waiting } = lane
    const [head] = waiting as [Request]
    if (head.key === null) return { lane, size: 1, full: true, dueAt: head.arrivedAt }
    let rows = head.rows
    let oldest = head.arrivedAt
    let size = 1
    while (size < waiting.length && rows + waiting[size]!.rows <= sizeMax) {
      rows += waiting[size]!.rows
      oldest = Math.min(oldest, waiting[size]!.arrivedAt)
      size++
    }
    return { lane, size, full: rows >= sizeMax || size < waiting.length, dueAt: oldest + delayMaxMs }
  }

  #displacedBy(request: Request): Request {
    if (request.rank >= shadowRank) return request
    const shadows = [...this.#lanes.values()].filter(({ shadow }) => shadow).map(({ waiting }) => waiting.at(-1)!)
    return (
      shadows.reduce<Request | undefined>((last, one) => (last && byTurn(last, one) > 0 ? last : one), undefined) ??
      request
    )
  }

  #insert(request: Request): void {
    const name = laneOf(request)
    let lane = this.#lanes.get(name)
    if (!lane) {
      lane = { shadow: request.rank >= shadowRank, waiting: [] }
      this.#lanes.set(name, lane)
    }
    let at = lane.waiting.length
    while (at > 0 && byTurn(lane.waiting[at - 1]!, request) > 0) at--
    lane.waiting.splice(at, 0, request)
    this.#length++
    this.#nextExpiry = Math.min(this.#nextExpiry, request.expiresAt)
  }

  #cut(lane: Lane<Request>, at: number, count: number): Request[] {
    const taken = lane.waiting.splice(at, count)
    this.#length -= taken.length
    // keys come from requests' shapes: those that nobody asks for any more must not pile up
    if (lane.waiting.length === 0) this.#lanes.delete(laneOf(taken[0]!))
    return taken
  }
}

const laneOf = ({ key, rank }: Queued) =>
  `${rank >= shadowRank ? 'shadow' : 'live'} ${key === null ? 'alone' : `of ${key}`}`

const byTurn = (a: Queued, b: Queued) => a.rank - b.rank || a.arrivedAt - b.arrivedAt
