import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'

const pieceBytes = 64 * 1024
const filling = randomBytes(pieceBytes)

/** The pieces of a stream in which no two are alike, so that a lost, doubled or displaced byte shows. */
class Pieces {
  readonly #memory = Buffer.from(filling)

  /** The n-th piece; valid until the next call. */
  at(index: number): Buffer {
    this.#memory.writeUInt32BE(index)
    return this.#memory
  }
}

/** Writes a stream of `bytes` as fast as the socket takes it. */
export class Flow {
  /** Bytes handed to the kernel. */
  taken = 0
  readonly #pieces = new Pieces()
  readonly #socket: Socket
  readonly #bytes: number

  constructor(socket: Socket, bytes: number) {
    this.#socket = socket
    this.#bytes = bytes
    this.#write(0)
  }

  #write(offset: number): void {
    if (offset >= this.#bytes) return
    const piece = this.#pieces.at(offset / pieceBytes).subarray(0, this.#bytes - offset)
    this.#socket.write(piece, (error) => {
      if (error) return
      this.taken = offset + piece.length
      this.#write(this.taken)
    })
  }
}

/** Counts how many bytes of a stream have arrived as written; stops at the first wrong byte. */
export class FlowCheck {
  good = 0
  isBroken = false
  readonly #pieces = new Pieces()
  #piece = this.#pieces.at(0)

  take(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length && !this.isBroken) {
      const within = this.good % pieceBytes
      if (within === 0) this.#piece = this.#pieces.at(this.good / pieceBytes)
      const length = Math.min(pieceBytes - within, bytes.length - at)
      this.isBroken = this.#piece.compare(bytes, at, at + length, within, within + length) !== 0
      if (!this.isBroken) this.good += length
      at += length
    }
  }
}

/** Feeds everything that the socket receives from now on to a check, and to nobody else. */
export function checkFlow(socket: Socket, where?: 'behind a head'): FlowCheck {
  const check = new FlowCheck()
  let isInBody = where === undefined
  socket.removeAllListeners('data')
  socket.on('data', (bytes: Buffer) => {
    const start = isInBody ? 0 : bytes.indexOf('\r\n\r\n') + 4
    isInBody = true
    check.take(bytes.subarray(start))
  })
  socket.resume()
  return check
}
