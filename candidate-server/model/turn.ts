import type { Milliseconds } from '../../vocabulary/units.ts'
import { serveError } from '../errors.ts'
import type { Asker } from './asker.ts'

/** How a request waits for what others want too. */
export interface Turn {
  /** A mirrored request: all others go first. */
  shadow: boolean
  /** Who leaves need not be served. */
  asker: Asker
  /** How long it may wait before it is begun. */
  waitMsMax: Milliseconds
}

export const clientGone = () => serveError('CLIENT_GONE', 'the client closed the connection')

/** What waits: live ones are taken before mirrored ones, each kind in its order. */
export class TwoLanes<Item> {
  readonly #live = new Set<Item>()
  readonly #shadows = new Set<Item>()

  add(item: Item, { shadow }: Pick<Turn, 'shadow'>): void {
    const lane = shadow ? this.#shadows : this.#live
    lane.add(item)
  }

  /** The next in turn; `undefined` where nothing waits. */
  take(): Item | undefined {
    for (const lane of [this.#live, this.#shadows]) {
      for (const item of lane) {
        lane.delete(item)
        return item
      }
    }
    return undefined
  }

  /** False where it was no longer waiting. */
  remove(item: Item): boolean {
    return this.#live.delete(item) || this.#shadows.delete(item)
  }
}
