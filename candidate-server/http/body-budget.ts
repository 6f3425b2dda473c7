import type { ApiError } from '../../runtime/api-error.ts'
import type { Bytes } from '../../vocabulary/units.ts'
import { serveError } from '../errors.ts'

/** The share of the budget that mirrored requests may use, so that a flood of them leaves room for live ones. */
const shadowShare = 3 / 4

/** The memory budget shared by the bodies, tensors and answers of all requests in progress. */
export class BodyBudget {
  readonly #bytesMax: () => Bytes
  readonly #onRelease: (bytes: Bytes) => void
  #liveBytes = 0
  #shadowBytes = 0

  /** `onRelease` receives the number of bytes each request held when it was released. */
  constructor(bytesMax: () => Bytes, onRelease: (bytes: Bytes) => void = () => {}) {
    this.#bytesMax = bytesMax
    this.#onRelease = onRelease
  }

  get heldBytes(): Bytes {
    return this.#liveBytes + this.#shadowBytes
  }

  /** Opens one request's share. After `release` it holds nothing and ignores further calls. */
  open(shadow: boolean): BodyHold {
    let held = 0
    let released = false
    const hold = (bytes: Bytes) => {
      // the client may leave while its request is still being processed
      if (released) return
      held += bytes
      if (shadow) this.#shadowBytes += bytes
      else this.#liveBytes += bytes
    }
    const isFull = (bytes: Bytes) => bytes > this.#room(shadow)
    return {
      take: (bytes) => {
        if (isFull(bytes)) throw this.#full('bodies', shadow)
        hold(bytes)
      },
      takeTensors: (bytes) => {
        // if no other request holds memory, waiting would never free any
        if (isFull(bytes) && this.heldBytes > held) throw this.#full('bodies and tensors', shadow)
        hold(bytes)
      },
      add: hold,
      release: () => {
        if (released) return
        const bytes = held
        hold(-held)
        released = true
        this.#onRelease(bytes)
      },
    }
  }

  #full(what: string, shadow: boolean): ApiError {
    const share = shadow ? ', of which mirrored ones may have three quarters' : ''
    return serveError(
      'BODIES_FULL',
      `the ${what} of all requests under way have reached limits.bodiesMax, ${this.#bytesMax()} bytes${share}; try again later`,
    )
  }

  #room(shadow: boolean): Bytes {
    const bytesMax = this.#bytesMax()
    const shadowBytesMax = bytesMax * shadowShare
    if (shadow) return Math.min(shadowBytesMax - this.#shadowBytes, bytesMax - this.heldBytes)
    // an answer is counted even over the limit; the excess of mirrored requests must not shrink the live requests'
    // share
    return bytesMax - this.#liveBytes - Math.min(this.#shadowBytes, shadowBytesMax)
  }
}

export interface BodyHold {
  /** Throws a 503 if the budget has no room. */
  take(bytes: Bytes): void
  /**
   * For a model's inputs or outputs. Throws a 503 if the budget has no room, unless no other request holds any memory.
   */
  takeTensors(bytes: Bytes): void
  /** Counts memory already in use, even over the limit. Negative values give memory back. */
  add(bytes: Bytes): void
  release(): void
}
