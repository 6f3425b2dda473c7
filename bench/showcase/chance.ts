import type { EpochMs } from '../../vocabulary/units.ts'

/** Random numbers that are the same in every run: mulberry32 by Tommy Ettinger (public domain). */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** In [0, 1). */
  uniform(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  is(probability: number): boolean {
    return this.uniform() < probability
  }

  /** Standard normal, by Box and Muller. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform())
  }

  pick<Item>(list: readonly Item[]): Item {
    return list[Math.floor(this.uniform() * list.length)]!
  }

  /** A UUID of version 7 that was made at this time. */
  idAt(at: EpochMs): string {
    const hex = (digits: number) =>
      Math.floor(this.uniform() * 16 ** digits)
        .toString(16)
        .padStart(digits, '0')
    const time = Math.floor(at).toString(16).padStart(12, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`
  }
}
