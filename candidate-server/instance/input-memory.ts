import type { Bytes } from '../../vocabulary/units.ts'
import { keptBytesMax } from './exchange-file.ts'

/**
 * Reusable memory for a run's inputs: runs follow one another, and each has read its inputs before the next ones
 * arrive.
 */
export class InputMemory {
  #bytes = Buffer.alloc(0)

  get heldBytes(): Bytes {
    return this.#bytes.byteLength
  }

  /** Returns at least this many bytes. */
  readonly take = (bytes: Bytes): Uint8Array => {
    if (this.#bytes.byteLength < bytes) this.#bytes = Buffer.allocUnsafeSlow(bytes)
    return this.#bytes
  }

  /** Call after a run. Releases the memory of large inputs at once, because an idle process never collects garbage. */
  settle(): void {
    if (this.#bytes.byteLength <= keptBytesMax) return
    this.#bytes.buffer.transfer(0)
    this.#bytes = Buffer.alloc(0)
  }
}
