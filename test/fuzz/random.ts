/** mulberry32: the same sequence for the same seed. */
export class Random {
  readonly #seed: number
  #state: number

  constructor(seed: number) {
    this.#seed = seed
    this.#state = seed
  }

  /** An independent sequence that depends only on this seed and `label`, not on this one's position. */
  fork(label: string): Random {
    let hash = this.#seed ^ 0x811c9dc5
    for (let i = 0; i < label.length; i++) hash = Math.imul(hash ^ label.charCodeAt(i), 0x01000193)
    return new Random(Math.imul(hash ^ (hash >>> 16), 0x85ebca6b))
  }

  /** In [0, 1). */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** From `low` to `high`, both inclusive. */
  int(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1))
  }

  /** Up to `high`, mostly small. */
  size(high: number): number {
    return Math.floor(this.unit() ** 4 * (high + 1))
  }

  chance(share: number): boolean {
    return this.unit() < share
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.int(0, items.length - 1)]!
  }

  /** Chooses by weight. */
  choose<Name extends string>(weights: Record<Name, number>): Name {
    const entries = Object.entries(weights) as [Name, number][]
    let left = this.unit() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [name, weight] of entries) {
      left -= weight
      if (left < 0) return name
    }
    return entries[0]![0]
  }

  /** Arbitrary bytes, or bytes that resemble HTTP. */
  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length)
    const text = this.chance(0.3)
      ? 'GET /p/smuggled HTTP/1.1\r\nhost: x\r\n\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'
      : undefined
    for (let i = 0; i < length; i++) bytes[i] = text ? text.charCodeAt(i % text.length) : this.int(0, 255)
    return bytes
  }

  /** Offsets that cut `length` bytes into parts: none, a few, or one at every byte of a stretch. */
  cuts(length: number): number[] {
    const how = this.choose({ whole: 4, few: 4, bytes: 2 })
    if (how === 'whole' || length < 2) return []
    if (how === 'bytes') {
      const from = this.chance(0.5) ? 1 : this.int(1, length - 1)
      return Array.from({ length: Math.min(100, length - from) }, (_, i) => from + i)
    }
    return [...new Set(Array.from({ length: this.int(1, 6) }, () => this.int(1, length - 1)))].sort((a, b) => a - b)
  }
}
