/**
 * Items in progress, each in a slot that is reused once free. A `Set` would take fewer lines, but with an add and a
 * delete per request it reallocates its table every few dozen requests. V8 links each old table to the next, so one
 * dead table in the old generation keeps all later tables alive, with the exchanges they held, until a full collection.
 * docs/DECISIONS.md has the figures.
 */
export class Slots<Item> {
  readonly #items: (Item | undefined)[] = []
  readonly #free: number[] = []

  add(item: Item): number {
    const slot = this.#free.pop() ?? this.#items.length
    this.#items[slot] = item
    return slot
  }

  free(slot: number): void {
    this.#items[slot] = undefined
    this.#free.push(slot)
  }

  /** A copy. */
  all(): Item[] {
    return this.#items.filter((item) => item !== undefined)
  }
}
