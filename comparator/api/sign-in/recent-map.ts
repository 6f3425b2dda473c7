/**
 * A map that keeps at least the `size / 2` entries set last and never more than `size`. It has two halves; when the
 * newer one is full, the older one is dropped. Every call takes constant time, also where an attacker chooses the keys.
 */
export class RecentMap<Value> {
  readonly #half: number
  #newer = new Map<string, Value>()
  #older = new Map<string, Value>()

  constructor(size: number) {
    this.#half = Math.floor(size / 2)
  }

  get size(): number {
    return this.#newer.size + this.#older.size
  }

  get(key: string): Value | undefined {
    return this.#newer.get(key) ?? this.#older.get(key)
  }

  set(key: string, value: Value): void {
    this.#older.delete(key)
    this.#newer.set(key, value)
    if (this.#newer.size < this.#half) return
    this.#older = this.#newer
    this.#newer = new Map()
  }
}
