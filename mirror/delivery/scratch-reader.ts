import { open } from 'node:fs/promises'
import type { Bytes } from '../../vocabulary/units.ts'

const partBytes: Bytes = 512 * 1024

/**
 * Reads files one after another into the same memory. With a new 8 MiB buffer outside the heap for each, every few
 * files would cause a full collection, which delays live requests.
 */
export class ScratchReader {
  #memory = Buffer.alloc(0)

  /** The result is valid until the next call. Rejects with the system's error. */
  async read(file: string): Promise<Buffer> {
    const handle = await open(file)
    try {
      for (let length = 0; ; ) {
        if (length === this.#memory.length) this.#grow()
        const { bytesRead } = await handle.read(this.#memory, length, Math.min(partBytes, this.#memory.length - length))
        if (bytesRead === 0) return this.#memory.subarray(0, length)
        length += bytesRead
      }
    } finally {
      await handle.close()
    }
  }

  #grow(): void {
    const more = Buffer.allocUnsafeSlow(Math.max(partBytes, 2 * this.#memory.length))
    this.#memory.copy(more)
    this.#memory = more
  }
}
