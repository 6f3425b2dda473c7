import type { Bytes } from '../../vocabulary/units.ts'
import type { ByteBudget } from '../capture/byte-budget.ts'

const piecesMax = 4096

/**
 * Holds a request's body so far for another try, until an upstream has answered. Counted against the mirror's byte
 * budget.
 */
export class Replay {
  readonly #budget: ByteBudget
  readonly #bytesMax: Bytes
  #pieces: Buffer[] | undefined = []
  #bytes = 0

  /** A body larger than `bytesMax` is not sent twice. */
  constructor(budget: ByteBudget, bytesMax: Bytes) {
    this.#budget = budget
    this.#bytesMax = bytesMax
  }

  /** Undefined once the body can't be kept whole. */
  get pieces(): readonly Buffer[] | undefined {
    return this.#pieces
  }

  keep(piece: Buffer): void {
    if (!this.#pieces) return
    const isTooMuch = this.#bytes + piece.length > this.#bytesMax || this.#pieces.length >= piecesMax
    if (isTooMuch || !this.#budget.tryTake(piece.length)) {
      this.drop()
      return
    }
    this.#bytes += piece.length
    this.#pieces.push(piece)
  }

  /** Idempotent. */
  drop(): void {
    this.#pieces = undefined
    this.#budget.giveBack(this.#bytes)
    this.#bytes = 0
  }
}
