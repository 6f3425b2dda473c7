import type { Bytes } from '../../vocabulary/units.ts'
import { MalformedMessage } from './parse-fields.ts'

const end = Buffer.from('\r\n\r\n')
const LF = 0x0a
const CR = 0x0d

/** Assembles a head from the pieces in which it arrives. */
export class HeadReader {
  readonly #bytesMax: Bytes
  #bytes: Buffer | undefined

  constructor(bytesMax: Bytes) {
    this.#bytesMax = bytesMax
  }

  /** Whether a head has begun to arrive. */
  get hasBegun(): boolean {
    return this.#bytes !== undefined
  }

  /**
   * Returns the head's text without the empty line that ends it, and where in `bytes` the rest begins; undefined if
   * more must come. Throws `MalformedMessage` on a head that is too large or has a line that ends in LF alone. It
   * throws at once, as the sender may wait for an answer that the missing CRs would prevent for ever.
   */
  read(bytes: Buffer, start: number): { text: string; next: number } | undefined {
    const held = this.#bytes
    const all = held ? Buffer.concat([held, bytes.subarray(start)]) : bytes
    const from = leadingCrlf(all, held ? 0 : start)
    // the held bytes were searched before
    const at = all.indexOf(end, held ? Math.max(from, held.length - 3) : from)
    if ((at < 0 ? all.length : at) - from > this.#bytesMax) throw new MalformedMessage('a head that is too large', 431)
    if (at < 0) {
      refuseBareLf(all, from, held ? Math.max(from, held.length) : from)
      this.#bytes = from < all.length ? Buffer.from(all.subarray(from)) : undefined
      return undefined
    }
    this.#bytes = undefined
    return { text: all.toString('latin1', from, at), next: at + end.length - (held ? held.length - start : 0) }
  }
}

/** Skips empty lines before a request, which some clients send after a body (RFC 9112, 2.2). */
function leadingCrlf(bytes: Buffer, start: number): number {
  let at = start
  while (bytes[at] === CR && bytes[at + 1] === LF) at += 2
  return at
}

function refuseBareLf(bytes: Buffer, begin: number, from: number): void {
  for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (at === begin || bytes[at - 1] !== CR) throw new MalformedMessage('a line that ends in LF alone')
  }
}
