import { MalformedMessage, parseFields } from './parse-fields.ts'

const CR = 0x0d
const LF = 0x0a
/** The longest size line (with extensions) or trailer field, and the most of all trailer fields together. */
const lineBytesMax = 8192
const trailerBytesMax = 64 * 1024
/** At most 13 digits: longer sizes are not exact numbers, and nobody sends chunks of 4 PB. */
const sizeLine = /^([0-9A-Fa-f]{1,13})(?:;[\t\x20-\x7e\x80-\xff]*)?$/

/**
 * Follows a chunked body (RFC 9112, 7.1) as its pieces arrive, without changing a byte:
 *
 *     size ──▶ data ──▶ dataEnd ──▶ size …   size 0 ──▶ trailers ──▶ over
 *
 * Accepts only what the grammar allows: a chunk line that two servers might read differently throws.
 */
export class ChunkedReader {
  #state: 'size' | 'data' | 'dataEnd' | 'trailers' | 'over' = 'size'
  #trailerBytes = 0
  #left = 0

  get isOver(): boolean {
    return this.#state === 'over'
  }

  /**
   * Reads from `start` on and returns where the body ends, or else the end of what could be consumed. An incomplete
   * line is not consumed: pass it again with what follows. `onData` gets the data.
   */
  read(bytes: Buffer, start: number, onData: (data: Buffer) => void): number {
    let at = start
    while (at < bytes.length && this.#state !== 'over') {
      if (this.#state === 'data') {
        const end = Math.min(bytes.length, at + this.#left)
        onData(bytes.subarray(at, end))
        this.#left -= end - at
        if (this.#left === 0) this.#state = 'dataEnd'
        at = end
      } else {
        const next = this.#readLine(bytes, at)
        if (next === at) break
        at = next
      }
    }
    return at
  }

  /** Returns where the line ends, or `start` if it is incomplete. */
  #readLine(bytes: Buffer, start: number): number {
    const end = bytes.indexOf(LF, start)
    if ((end < 0 ? bytes.length : end) - start > lineBytesMax) {
      throw new MalformedMessage('a chunk line that is too long')
    }
    const isNoEnd = bytes[start] !== CR || (start + 1 < bytes.length && bytes[start + 1] !== LF)
    if (this.#state === 'dataEnd' && isNoEnd) throw new MalformedMessage('a chunk longer than its size')
    if (end < 0) return start
    if (end === start || bytes[end - 1] !== CR) throw new MalformedMessage('a chunk line without CRLF')
    this.#take(bytes.toString('latin1', start, end - 1))
    return end + 1
  }

  #take(line: string): void {
    if (this.#state === 'dataEnd') {
      if (line !== '') throw new MalformedMessage('a chunk longer than its size')
      this.#state = 'size'
    } else if (this.#state === 'size') {
      const size = sizeLine.exec(line)
      if (!size) throw new MalformedMessage('a bad chunk size')
      this.#left = Number.parseInt(size[1]!, 16)
      this.#state = this.#left > 0 ? 'data' : 'trailers'
    } else if (line !== '') {
      this.#trailerBytes += line.length
      if (this.#trailerBytes > trailerBytesMax) throw new MalformedMessage('trailers that are too long')
      checkTrailer(line)
    } else this.#state = 'over'
  }
}

/** Fields that say where a message ends or for whom it is must not come after it (RFC 9110, 6.5.1). */
const notInTrailers = new Set(['content-length', 'transfer-encoding', 'host', 'connection', 'trailer'])

function checkTrailer(line: string): void {
  const [trailer] = parseFields([line], 0, 'refuse')
  if (notInTrailers.has(trailer!.name)) throw new MalformedMessage('a trailer that belongs in a head')
}
