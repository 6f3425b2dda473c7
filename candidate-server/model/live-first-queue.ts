import type { Turn } from './turn.ts'

/** A queue that serves live items before mirrored ones, each kind in order of arrival. */
export class LiveFirstQueue<Item> {
  readonly #live = new Set<Item>()
  readonly #shadows = new Set<Item>()

  add(item: Item, { shadow }: Pick<Turn, 'shadow'>): void {
    const lane = shadow ? this.#shadows : this.#live
    lane.add(item)
  }

  /** The next item; `undefined` if nothing is waiting. */
  take(): Item | undefined {
    for (const lane of [this.#live, this.#shadows]) {
      for (const item of lane) {
        lane.delete(item)
        return item
      }
    }
    return undefined
  }

  /** Returns false if the item was no longer waiting. */
  remove(item: Item): boolean {
    return this.#live.delete(item) || this.#shadows.delete(item)
  }
}
