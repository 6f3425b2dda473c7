import type { Bytes } from '../../vocabulary/units.ts'

/** One limit for everything that the mirror holds in memory beside the live streams (`capture.memoryMax`). */
export class ByteBudget {
  readonly bytesMax: Bytes
  #held = 0

  constructor(bytesMax: Bytes) {
    this.bytesMax = bytesMax
  }

  get held(): Bytes {
    return this.#held
  }

  tryTake(bytes: Bytes): boolean {
    if (this.#held + bytes > this.bytesMax) return false
    this.#held += bytes
    return true
  }

  giveBack(bytes: Bytes): void {
    if (bytes > this.#held) throw new Error(`${bytes} bytes given back where ${this.#held} are held`)
    this.#held -= bytes
  }
}
