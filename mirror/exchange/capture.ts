import type { Bytes } from '../../vocabulary/units.ts'
import type { ByteBudget } from './byte-budget.ts'

const nothing = Buffer.alloc(0)
/** Smaller chunks are put together: each is an object and holds on to the whole read that it came in. */
const smallBytesMax: Bytes = 4 * 1024
const pieceBytesMax: Bytes = 64 * 1024

/**
 * What passes by on a live or shadow stream, kept as the stream's own chunks where they are large, up to `bytesMax` and within the
 * budget. Past either limit all of it is let go at once, and only the count goes on. Never slows the stream.
 */
export class BodyCapture {
  readonly #budget: ByteBudget
  readonly #bytesMax: Bytes
  #chunks: Buffer[] = []
  /** Where small chunks are put together, filled up to `#pieceEnd`; comes behind `#chunks`. */
  #piece = nothing
  #pieceEnd = 0
  #held = 0
  #bytes = 0
  #lost: 'tooLarge' | 'shed' | undefined
  #released = false

  constructor(budget: ByteBudget, bytesMax: Bytes) {
    this.#budget = budget
    this.#bytesMax = bytesMax
  }

  /** All bytes that passed, kept or not. */
  get bytes(): Bytes {
    return this.#bytes
  }

  /** Why the body is not kept, where it is not. */
  get lost(): 'tooLarge' | 'shed' | undefined {
    return this.#lost
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#lost !== undefined || this.#released) return
    if (this.#bytes > this.#bytesMax) this.#lose('tooLarge')
    else if (this.#budget.tryTake(chunk.length)) {
      this.#held += chunk.length
      this.#keep(chunk)
    } else this.#lose('shed')
  }

  /** The whole body; only the first call pays for putting the chunks together. */
  toBuffer(): Buffer {
    this.#closePiece()
    if (this.#chunks.length === 0) return nothing
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0]!
  }

  /** May be called any number of times. */
  release(): void {
    this.#released = true
    this.#letGo()
  }

  /** Pieces double from the size of what is there already, so that a body of one small chunk takes no more than itself. */
  #keep(chunk: Buffer): void {
    if (chunk.length >= smallBytesMax || this.#chunks.length === 0) {
      this.#closePiece()
      this.#chunks.push(chunk)
      return
    }
    if (this.#pieceEnd + chunk.length > this.#piece.length) {
      this.#closePiece()
      this.#piece = Buffer.allocUnsafeSlow(Math.max(chunk.length, Math.min(this.#held, pieceBytesMax)))
    }
    chunk.copy(this.#piece, this.#pieceEnd)
    this.#pieceEnd += chunk.length
  }

  #closePiece(): void {
    const filled = this.#piece.subarray(0, this.#pieceEnd)
    if (filled.length > 0) this.#chunks.push(filled.length < this.#piece.length / 2 ? Buffer.from(filled) : filled)
    this.#piece = nothing
    this.#pieceEnd = 0
  }

  #lose(why: 'tooLarge' | 'shed'): void {
    this.#lost = why
    this.#letGo()
  }

  #letGo(): void {
    this.#budget.giveBack(this.#held)
    this.#held = 0
    this.#chunks = []
    this.#piece = nothing
    this.#pieceEnd = 0
  }
}
