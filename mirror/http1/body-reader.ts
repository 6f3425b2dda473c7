import { ChunkedReader } from './chunked.ts'
import type { Framing } from './framing.ts'

const ignore = () => {}

/** Finds the end of a message's body as its pieces arrive. */
export class BodyReader {
  readonly #framing: Framing
  readonly #chunks: ChunkedReader | undefined
  #left = 0
  #isClosed = false

  constructor(framing: Framing) {
    this.#framing = framing
    if (framing.kind === 'length') this.#left = framing.bytes
    if (framing.kind === 'chunked') this.#chunks = new ChunkedReader()
  }

  get isOver(): boolean {
    const { kind } = this.#framing
    if (kind === 'chunked') return this.#chunks!.isOver
    return kind === 'untilClose' ? this.#isClosed : this.#left === 0
  }

  /**
   * Consumes the part of `bytes` from `start` on that belongs to the body, and returns where it ends. An incomplete
   * chunk line is not consumed: pass it again with what follows. `onData` gets the data without framing. Throws
   * `MalformedMessage` on bad chunks.
   */
  read(bytes: Buffer, start: number, onData: (data: Buffer) => void = ignore): number {
    if (this.#chunks) return this.#chunks.read(bytes, start, onData)
    if (this.#framing.kind === 'untilClose') {
      onData(bytes.subarray(start))
      return bytes.length
    }
    const end = Math.min(bytes.length, start + this.#left)
    this.#left -= end - start
    if (end > start) onData(bytes.subarray(start, end))
    return end
  }

  /** The peer has closed. Returns whether the body is complete. */
  close(): boolean {
    if (this.#framing.kind === 'untilClose') this.#isClosed = true
    return this.isOver
  }
}
