import type { Bytes } from '../../vocabulary/units.ts'
import type { Fields } from '../http1/fields.ts'
import type { ByteBudget } from './byte-budget.ts'
import { givePagesBack, pageBytes, takePage } from './reused-memory.ts'

const nothing = Buffer.alloc(0)
/** Smaller chunks are joined: each is an object that keeps alive the whole read it came in. */
const smallBytesMax: Bytes = 4 * 1024
/** The cost of a field beside its line, as measured: an object with three strings, of which two point into the head. */
const fieldBytes: Bytes = 160

/**
 * Captures the body of a live or shadow stream, up to `bytesMax` and within the budget. Past either limit all of it is
 * released at once, and only the byte count goes on. Never slows the stream and never throws into it.
 *
 * `kept`: large chunks stay the buffers that the stream gave, and what was handed out may be held after the release.
 * `copied`: the stream may overwrite its chunks, and nothing handed out outlives the release.
 */
export class BodyCapture {
  readonly #budget: ByteBudget
  readonly #bytesMax: Bytes
  readonly #chunksAre: 'kept' | 'copied'
  #chunks: Buffer[] = []
  /** Where small chunks are joined, filled up to `#pieceEnd`; follows the last of `#chunks`. */
  #piece: Buffer = nothing
  #pieceEnd = 0
  #pages: Buffer[] = []
  #held = 0
  #headBytes = 0
  #bytes = 0
  #lost: 'tooLarge' | 'shed' | undefined
  #released = false

  constructor(budget: ByteBudget, bytesMax: Bytes, chunksAre: 'kept' | 'copied' = 'kept') {
    this.#budget = budget
    this.#bytesMax = bytesMax
    this.#chunksAre = chunksAre
  }

  /** All bytes that passed, kept or not. */
  get bytes(): Bytes {
    return this.#bytes
  }

  /** Why the body was not kept; undefined if it was. */
  get lost(): 'tooLarge' | 'shed' | undefined {
    return this.#lost
  }

  /** Counts the head of the same message, which is held as long as the body and within the same budget. */
  addHead(fields: Fields): void {
    if (this.#lost !== undefined || this.#released) return
    let bytes = 0
    for (const { line } of fields) bytes += line.length + fieldBytes
    if (this.#budget.tryTake(bytes)) this.#headBytes += bytes
    else this.#lose('shed')
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#lost !== undefined || this.#released) return
    if (this.#bytes > this.#bytesMax) this.#lose('tooLarge')
    else if (this.#budget.tryTake(chunk.length)) {
      this.#held += chunk.length
      try {
        this.#keep(chunk)
      } catch {
        // no memory for it: the stream must not notice
        this.#lose('shed')
      }
    } else this.#lose('shed')
  }

  /** The whole body, in the pieces in which it is held. */
  pieces(): readonly Buffer[] {
    this.#closePiece()
    return this.#chunks
  }

  /** The whole body; only the first call pays for joining the chunks. */
  toBuffer(): Buffer {
    this.#closePiece()
    if (this.#chunks.length === 0) return nothing
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0]!
  }

  /** Idempotent. */
  release(): void {
    this.#released = true
    this.#letGo()
  }

  #keep(chunk: Buffer): void {
    if (this.#chunksAre === 'kept' && (chunk.length >= smallBytesMax || this.#chunks.length === 0)) {
      this.#closePiece()
      this.#chunks.push(chunk)
      return
    }
    let copied = 0
    while (copied < chunk.length) {
      if (this.#pieceEnd === this.#piece.length) this.#beginPiece(chunk.length - copied)
      const bytes = chunk.copy(this.#piece, this.#pieceEnd, copied)
      this.#pieceEnd += bytes
      copied += bytes
    }
  }

  /** Pieces grow with the body, from its first chunk to a page: a body of one small chunk takes no more than itself. */
  #beginPiece(bytes: Bytes): void {
    this.#closePiece()
    const pieceBytes = Math.max(bytes, this.#held)
    if (pieceBytes < pageBytes) this.#piece = Buffer.allocUnsafeSlow(pieceBytes)
    else if (this.#chunksAre === 'kept') this.#piece = Buffer.allocUnsafeSlow(pageBytes)
    else {
      this.#piece = takePage()
      this.#pages.push(this.#piece)
    }
  }

  #closePiece(): void {
    const filled = this.#piece.subarray(0, this.#pieceEnd)
    const isWorthCopying = this.#piece.length < pageBytes && filled.length < this.#piece.length / 2
    if (filled.length > 0) this.#chunks.push(isWorthCopying ? Buffer.from(filled) : filled)
    this.#piece = nothing
    this.#pieceEnd = 0
  }

  #lose(why: 'tooLarge' | 'shed'): void {
    this.#lost = why
    this.#letGo()
  }

  #letGo(): void {
    this.#budget.giveBack(this.#held + this.#headBytes)
    this.#held = 0
    this.#headBytes = 0
    this.#chunks = []
    givePagesBack(this.#pages)
    this.#pages = []
    this.#piece = nothing
    this.#pieceEnd = 0
  }
}
