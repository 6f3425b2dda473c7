import { clientGone, serveError } from '../../errors.ts'
import type { Turn } from '../../model/turn.ts'

/** One request's place, from its acceptance until its tensors are made. */
interface Place {
  readonly shadow: boolean
  /** Rejects when the place is given up: the client left, a live request displaced it, or it waited too long. */
  readonly left: Promise<never>
  hasLeft: boolean
  /** Called when the waiting time is over; returns true if someone else decides whether the request has started. */
  whenLate: () => boolean
  leave(error: Error): void
  free(): void
}

/** Limits the requests that an adapter holds at once. When it is full, a live request displaces a mirrored one. */
export class Places {
  readonly #title: string
  readonly #max: number
  readonly #taken = new Set<Place>()

  constructor(title: string, max: number) {
    this.#title = title
    this.#max = max
  }

  /** Throws if no place is free or the client has gone. */
  take({ shadow, client, waitMsMax }: Turn): Place {
    if (client.isGone) throw clientGone()
    if (this.#taken.size >= this.#max) this.#makeRoom(shadow)
    const { promise: left, reject } = Promise.withResolvers<never>()
    left.catch(() => {})
    const late = setTimeout(() => place.whenLate() || place.leave(tooLate(this.#title)), waitMsMax)
    const free = () => {
      clearTimeout(late)
      client.whenGone = undefined
      this.#taken.delete(place)
    }
    const place: Place = {
      shadow,
      left,
      hasLeft: false,
      whenLate: () => false,
      leave(error) {
        free()
        place.hasLeft = true
        reject(error)
      },
      free,
    }
    client.whenGone = () => place.leave(clientGone())
    this.#taken.add(place)
    return place
  }

  #makeRoom(forShadow: boolean): void {
    const full = serveError('QUEUE_FULL', `${this.#title} is at its limit of ${this.#max} requests; try again later`)
    const displaced = forShadow ? undefined : [...this.#taken].findLast(({ shadow }) => shadow)
    if (!displaced) throw full
    displaced.leave(full)
  }
}

export const tooLate = (title: string) =>
  serveError('QUEUE_TIMEOUT', `${title} could not start the request within queue.timeout`)
