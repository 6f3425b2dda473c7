import { open } from 'node:fs/promises'
import type { Bytes } from '../../vocabulary/units.ts'

const partBytes: Bytes = 512 * 1024

/**
 * Reads files one after another into the same memory: outside of the heap, 8 MiB that are used once bring a full collection
 * every few files, and each of these keeps live requests waiting.
 */
export class ScratchReader {
  #memory = Buffer.alloc(0)

  /** What it gives is good until the next call. Rejects with the system's error. */
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
