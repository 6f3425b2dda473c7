import type { Bytes } from '../../vocabulary/units.ts'
import { serveError } from '../protocol/errors.ts'

/** What the bodies of all requests under way may hold together, in memory. */
export class BodyBudget {
  readonly #bytesMax: () => Bytes
  #bytes = 0

  constructor(bytesMax: () => Bytes) {
    this.#bytesMax = bytesMax
  }

  get heldBytes(): Bytes {
    return this.#bytes
  }

  /** One request's share, which it gives back by `release`; from then on it holds nothing. */
  open(): BodyHold {
    let held = 0
    let released = false
    const hold = (bytes: Bytes) => {
      // the client may leave while its request is still at work
      if (released) return
      held += bytes
      this.#bytes += bytes
    }
    return {
      take: (bytes) => {
        const bytesMax = this.#bytesMax()
        if (this.#bytes + bytes > bytesMax) {
          throw serveError(
            'BODIES_FULL',
            `the bodies of all requests under way are at limits.bodiesMax, ${bytesMax} bytes; try again later`,
          )
        }
        hold(bytes)
      },
      add: hold,
      release: () => {
        hold(-held)
        released = true
      },
    }
  }
}

export interface BodyHold {
  /** Throws a 503 where there is no room. */
  take(bytes: Bytes): void
  /** What is there already, room or not. */
  add(bytes: Bytes): void
  release(): void
}
