import { uniform } from '../../cli/load/arrivals.ts'
import type { EpochMs } from '../../vocabulary/units.ts'

/** Random numbers that are the same in every run. */
export class Chance {
  /** In [0, 1). */
  readonly uniform: () => number

  constructor(seed: number) {
    this.uniform = uniform(seed)
  }

  is(probability: number): boolean {
    return this.uniform() < probability
  }

  /** Standard normal, by the Box–Muller method. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform())
  }

  pick<Item>(list: readonly Item[]): Item {
    return list[Math.floor(this.uniform() * list.length)]!
  }

  /** A version 7 UUID with this timestamp. */
  idAt(at: EpochMs): string {
    const hex = (digits: number) =>
      Math.floor(this.uniform() * 16 ** digits)
        .toString(16)
        .padStart(digits, '0')
    const time = Math.floor(at).toString(16).padStart(12, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`
  }
}
