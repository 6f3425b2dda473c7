import { connect, type Socket } from 'node:net'

export interface HttpAnswer {
  status: number
  head: string
  body: Buffer
}

/**
 * One client connection, one request at a time over a bare socket: it shares the CPUs with what it measures. A
 * connection that the server closes is opened again; its request then ends as undefined.
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
    this.#expected = headEnd + 4 + contentLength(head)
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

function contentLength(head: string): number {
  const match = /\r\ncontent-length: *(\d+)/i.exec(head)
  if (!match) throw new Error(`expected an answer with a content-length, got ${head}`)
  return Number(match[1])
}
