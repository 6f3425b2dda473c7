import { serveError } from '../../errors.ts'
import { clientGone, type Turn } from '../../model/turn.ts'

/** One request's, from when it is taken on until it is answered. */
interface Place {
  readonly shadow: boolean
  /** Rejects when it is given up: its client left, a live request took its place, or it waited too long. */
  readonly left: Promise<never>
  hasLeft: boolean
  /** Called when it has waited for as long as it may: true where somebody else decides whether it has begun. */
  whenLate: () => boolean
  leave(error: Error): void
  free(): void
}

/** The requests that an adapter may have at once. Where all places are taken, a live one takes a mirrored one's. */
export class Places {
  readonly #title: string
  readonly #max: number
  readonly #taken = new Set<Place>()

  constructor(title: string, max: number) {
    this.#title = title
    this.#max = max
  }

  /** Throws where there is none, or nobody waits for the answer. */
  take({ shadow, asker, waitMsMax }: Turn): Place {
    if (asker.isGone) throw clientGone()
    if (this.#taken.size >= this.#max) this.#makeRoom(shadow)
    const { promise: left, reject } = Promise.withResolvers<never>()
    left.catch(() => {})
    const late = setTimeout(() => place.whenLate() || place.leave(tooLate(this.#title)), waitMsMax)
    const free = () => {
      clearTimeout(late)
      asker.whenGone = undefined
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
    asker.whenGone = () => place.leave(clientGone())
    this.#taken.add(place)
    return place
  }

  #makeRoom(forShadow: boolean): void {
    const full = serveError('QUEUE_FULL', `${this.#title} has ${this.#max} requests already; try again later`)
    const displaced = forShadow ? undefined : [...this.#taken].findLast(({ shadow }) => shadow)
    if (!displaced) throw full
    displaced.leave(full)
  }
}

export const tooLate = (title: string) =>
  serveError('QUEUE_TIMEOUT', `${title} had no time for the request within queue.timeout`)
