import type { Clock } from '../../runtime/clock.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'

/**
 * A queue, oldest first. An item that has waited for `waitMaxMs` is removed and passed to `expired`, until the line is
 * closed.
 */
export class WaitingLine<Item extends { since: Milliseconds }> {
  readonly #waitMaxMs: Milliseconds
  readonly #clock: Clock
  readonly #expired: (item: Item) => void
  #items: Item[] = []
  /** Index of the first item that still waits. */
  #first = 0
  #expiry: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(waitMaxMs: Milliseconds, clock: Clock, expired: (item: Item) => void) {
    this.#waitMaxMs = waitMaxMs
    this.#clock = clock
    this.#expired = expired
  }

  get length(): number {
    return this.#items.length - this.#first
  }

  push(item: Item): void {
    this.#items.push(item)
    if (!this.#expiry) this.#armExpiry()
  }

  /** Removes the oldest; there must be one. */
  next(): Item {
    const next = this.#items[this.#first++]!
    if (this.#first === this.#items.length) {
      this.#items = []
      this.#first = 0
    } else if (this.#first >= 1024) {
      this.#items = this.#items.slice(this.#first)
      this.#first = 0
    }
    return next
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#expiry)
  }

  #armExpiry(): void {
    this.#expiry = undefined
    if (this.length === 0 || this.#isClosed) return
    this.#expiry = setTimeout(
      () => {
        while (this.length > 0 && this.#leftMs() <= 0) this.#expired(this.next())
        this.#armExpiry()
      },
      Math.max(1, this.#leftMs()),
    )
  }

  /** What is left of the oldest item's time. */
  #leftMs(): Milliseconds {
    return this.#items[this.#first]!.since + this.#waitMaxMs - this.#clock.monotonic()
  }
}
