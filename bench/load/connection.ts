import { connect, type Socket } from 'node:net'
import { responseBody } from '../payload.ts'

/**
 * One client connection: one request at a time over a bare socket. It shares a CPU with the primary, so what it does
 * not use a request is left to measure with.
 */
export class Connection {
  readonly #port: number
  #socket: Socket
  #received: Buffer | undefined
  #done: ((ok: boolean) => void) | undefined
  #closed = false

  constructor(port: number) {
    this.#port = port
    this.#socket = this.#connect()
  }

  /** `done` is told whether the response was a 200 with the primary's very bytes. Not called once closed. */
  send(request: Buffer, done: (ok: boolean) => void): void {
    this.#done = done
    this.#socket.write(request)
  }

  close(): void {
    this.#closed = true
    this.#socket.destroy()
  }

  #connect(): Socket {
    const socket = connect(this.#port, '127.0.0.1')
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', () => {}) // `close` follows
    socket.on('close', () => {
      if (this.#closed) return
      this.#received = undefined
      this.#socket = this.#connect()
      this.#end(false)
    })
    return socket
  }

  #receive(chunk: Buffer): void {
    const received = this.#received ? Buffer.concat([this.#received, chunk]) : chunk
    const headEnd = received.indexOf('\r\n\r\n')
    const bodyBytes = headEnd < 0 ? undefined : contentLength(received.toString('latin1', 0, headEnd))
    if (bodyBytes === undefined || received.length < headEnd + 4 + bodyBytes) {
      this.#received = received
      return
    }
    this.#received = undefined
    const isOk = received.toString('latin1', 9, 12) === '200' && received.subarray(headEnd + 4).equals(responseBody)
    this.#end(isOk)
  }

  #end(ok: boolean): void {
    const done = this.#done
    this.#done = undefined
    if (this.#closed) return
    // nothing was asked: the other side only closed an idle connection
    done?.(ok)
  }
}

/** The primary sends a length and no proxy has a reason to change that; a response without one ends as unanswered. */
function contentLength(head: string): number | undefined {
  const match = /\r\ncontent-length: *(\d+)/i.exec(head)
  return match ? Number(match[1]) : undefined
}
