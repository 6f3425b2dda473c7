import type { Milliseconds, MonotonicMs } from '../../vocabulary/units.ts'

/** What the queue knows of a request. All times are from the same monotonic clock. */
export interface Queued {
  /** Only requests with the same key share a batch; a request with `null` runs alone. */
  key: string | null
  rows: number
  /** Lower ranks go first. Requests with `shadowRank` wait for all others and never share a batch with them. */
  rank: number
  arrivedAt: MonotonicMs
  expiresAt: MonotonicMs
}

export interface BatchLimits {
  /** Maximum rows in a batch. A single request with more rows runs alone. */
  sizeMax: number
  /** How long a request may wait, from its arrival, for others to fill its batch. */
  delayMaxMs: Milliseconds
}

/** Rank of mirrored requests, whose answers nobody waits for. Small enough that V8 stores ranks unboxed. */
export const shadowRank = 2 ** 30

interface Lane<Request> {
  shadow: boolean
  /** Sorted by rank, then by arrival; never empty. */
  waiting: Request[]
}

interface Batch<Request> {
  lane: Lane<Request>
  size: number
  full: boolean
  dueAt: MonotonicMs
}

/**
 * The waiting requests of one model. The queue has no timer: its owner calls `takeBatch` whenever an instance is free,
 * and again at `wakeAt`. There is one lane per key, so the cost of a lookup grows with the number of keys and not of
 * requests.
 */
export class RequestQueue<Request extends Queued> {
  readonly #max: number
  readonly #lanes = new Map<string, Lane<Request>>()
  #limits: BatchLimits
  #length = 0
  /** No request expires before this time. It may be too early if the earliest request has left. */
  #nextExpiry = Number.POSITIVE_INFINITY

  constructor(max: number, limits: BatchLimits) {
    this.#max = max
    this.#limits = limits
  }

  get length(): number {
    return this.#length
  }

  /**
   * Returns the request that is turned away when the queue is full: this one or, if it is live, the newest shadow.
   * Returns `undefined` if there is room for all.
   */
  add(request: Request): Request | undefined {
    const displaced = this.#length < this.#max ? undefined : this.#displacedBy(request)
    if (displaced === request) return request
    if (displaced) this.remove(displaced)
    this.#insert(request)
    return displaced
  }

  /** Puts back requests that were accepted before, over the limit if need be. */
  putBack(requests: readonly Request[]): void {
    for (const request of requests) this.#insert(request)
  }

  /** Returns false if the request was no longer waiting. */
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

  /** The first batch in order that is full or has waited long enough; `undefined` if there is none. */
  takeBatch(now: MonotonicMs): Request[] | undefined {
    return this.#takeFirst(({ full, dueAt }) => full || dueAt <= now)
  }

  /** The first batch in order that is full and waits only for an instance. */
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

  /**
   * When to look again: at the next expiry or, if an instance is free, when the next batch is due; `undefined` when
   * empty.
   */
  wakeAt(instanceFree: boolean): MonotonicMs | undefined {
    if (this.#length === 0) return undefined
    const dueAt = instanceFree ? this.#batches().map((batch) => batch.dueAt) : []
    return Math.min(this.#nextExpiry, ...dueAt)
  }

  /**
   * One batch per lane that may go now. Shadows may go only if no live request is waiting, not even to fill its batch.
   */
  #batches(): Batch<Request>[] {
    const lanes = [...this.#lanes.values()]
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
    return shadows.sort(byTurn).at(-1) ?? request
  }

  #insert(request: Request): void {
    const shadow = request.rank >= shadowRank
    const { waiting } = this.#lanes.getOrInsertComputed(laneOf(request), () => ({ shadow, waiting: [] }))
    let at = waiting.length
    while (at > 0 && byTurn(waiting[at - 1]!, request) > 0) at--
    waiting.splice(at, 0, request)
    this.#length++
    this.#nextExpiry = Math.min(this.#nextExpiry, request.expiresAt)
  }

  #cut(lane: Lane<Request>, at: number, count: number): Request[] {
    const taken = lane.waiting.splice(at, count)
    this.#length -= taken.length
    // keys come from request shapes, so lanes that are no longer used must not accumulate
    if (lane.waiting.length === 0) this.#lanes.delete(laneOf(taken[0]!))
    return taken
  }
}

const laneOf = ({ key, rank }: Queued) =>
  `${rank >= shadowRank ? 'shadow' : 'live'} ${key === null ? 'alone' : `of ${key}`}`

const byTurn = (a: Queued, b: Queued) => a.rank - b.rank || a.arrivedAt - b.arrivedAt
