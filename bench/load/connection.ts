import { connect, type Socket } from 'node:net'

export interface HttpAnswer {
  status: number
  head: string
  body: Buffer
}

/**
 * One client connection that sends one request at a time over a bare socket, to use little of the CPU it shares with
 * the system under test. If the server closes the connection, the request resolves to undefined and the connection is
 * reopened. After `close`, nothing is reported.
 */
export class Connection {
  readonly #port: number
  #socket: Socket
  #chunks: Buffer[] = []
  #bytes = 0
  #expected: number | undefined
  #done: ((answer: HttpAnswer | undefined) => void) | undefined
  #closed = false

  constructor(port: number) {
    this.#port = port
    this.#socket = this.#connect()
  }

  send(request: Buffer, done: (answer: HttpAnswer | undefined) => void): void {
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
      this.#socket = this.#connect()
      this.#end(undefined)
    })
    return socket
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#expected !== undefined && this.#bytes < this.#expected) return
    const received = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
    this.#chunks = [received]
    const headEnd = received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const head = received.toString('latin1', 0, headEnd)
    const bodyBytes = contentLength(head)
    if (bodyBytes === undefined) return
    this.#expected = headEnd + 4 + bodyBytes
    if (this.#bytes < this.#expected) return
    this.#end({ status: Number(head.slice(9, 12)), head, body: received.subarray(headEnd + 4) })
  }

  #end(answer: HttpAnswer | undefined): void {
    const done = this.#done
    this.#done = undefined
    this.#chunks = []
    this.#bytes = 0
    this.#expected = undefined
    if (!this.#closed) done?.(answer)
  }
}

/**
 * The servers under test send a length, and proxies have no reason to change that; an answer without one never ends.
 */
function contentLength(head: string): number | undefined {
  const match = /\r\ncontent-length: *(\d+)/i.exec(head)
  return match ? Number(match[1]) : undefined
}
