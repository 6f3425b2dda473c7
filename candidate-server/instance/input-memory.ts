import type { Bytes } from '../../vocabulary/units.ts'
import { keptBytesMax } from './exchange-file.ts'

/** Where a run's inputs are put. One run at a time, and its inputs are read before the next ones come: it serves again. */
export class InputMemory {
  #bytes = Buffer.alloc(0)

  get heldBytes(): Bytes {
    return this.#bytes.byteLength
  }

  /** At least so many. */
  readonly take = (bytes: Bytes): Uint8Array => {
    if (this.#bytes.byteLength < bytes) this.#bytes = Buffer.allocUnsafeSlow(bytes)
    return this.#bytes
  }

  /** After a run. What a large one took is given back at once: nothing collects garbage in a process that is idle. */
  settle(): void {
    if (this.#bytes.byteLength <= keptBytesMax) return
    this.#bytes.buffer.transfer(0)
    this.#bytes = Buffer.alloc(0)
  }
}
