/**
 * What is under way, each in a slot of its own, used again once it is free. A `Set` would say the same in fewer lines,
 * but one that is added to and deleted from with every request drops a table every few dozen of them; V8 links each
 * dropped table to the next, so that a dead one in the old generation keeps all that came after it, with the exchanges
 * they held, alive until a full collection. docs/DECISIONS.md has the figures.
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
