import type { ApiError } from '../../runtime/api-error.ts'
import type { Bytes } from '../../vocabulary/units.ts'
import { serveError } from '../errors.ts'

/** What mirrored requests may hold of all: a flood of them leaves the rest to live ones. */
const shadowShare = 3 / 4

/** What the bodies of all requests under way, and their answers, may hold together in memory. */
export class BodyBudget {
  readonly #bytesMax: () => Bytes
  readonly #onRelease: (bytes: Bytes) => void
  #liveBytes = 0
  #shadowBytes = 0

  /** `onRelease` is told what each request held in the end. */
  constructor(bytesMax: () => Bytes, onRelease: (bytes: Bytes) => void = () => {}) {
    this.#bytesMax = bytesMax
    this.#onRelease = onRelease
  }

  get heldBytes(): Bytes {
    return this.#liveBytes + this.#shadowBytes
  }

  /** One request's share, which it gives back by `release`; from then on it holds nothing. */
  open(shadow: boolean): BodyHold {
    let held = 0
    let released = false
    const hold = (bytes: Bytes) => {
      // the client may leave while its request is still at work
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
        // alone, it would find no more room later
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
      `the ${what} of all requests under way are at limits.bodiesMax, ${this.#bytesMax()} bytes${share}; try again later`,
    )
  }

  #room(shadow: boolean): Bytes {
    const bytesMax = this.#bytesMax()
    const shadowBytesMax = bytesMax * shadowShare
    if (shadow) return Math.min(shadowBytesMax - this.#shadowBytes, bytesMax - this.heldBytes)
    // answers are held room or not, and those of mirrored requests must not take what is kept for live ones
    return bytesMax - this.#liveBytes - Math.min(this.#shadowBytes, shadowBytesMax)
  }
}

export interface BodyHold {
  /** Throws a 503 where there is no room. */
  take(bytes: Bytes): void
  /** A model’s inputs or outputs. Throws a 503 where there is no room, and others have it. */
  takeTensors(bytes: Bytes): void
  /** What is there already, room or not; less than nothing of what is no longer. */
  add(bytes: Bytes): void
  release(): void
}
