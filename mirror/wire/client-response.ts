import type { Socket } from 'node:net'
import { toClient } from '../forward/live-headers.ts'
import type { WholeAnswer } from '../forward/set-aside.ts'
import { type Field, type Fields, field, fieldValue, headText } from '../http1/fields.ts'
import type { RequestHead } from '../http1/request-head.ts'
import type { ResponseHead } from '../http1/response-head.ts'
import { resetConnection } from '../reset-connection.ts'
import { writeJoined } from '../upstream/upstream-connection.ts'

/**
 * One response on its way to a client, passed through byte for byte except for the header fields that concern the
 * connection. An HTTP/1.0 client knows neither interim responses nor chunks: it gets the bare data, ended by the close
 * of its connection.
 */
export class ClientResponse {
  readonly #socket: Socket
  readonly #request: RequestHead
  /** Held so that it goes out together with the first of the body. */
  #heldHead: string | undefined
  #hasBegun = false
  /** Whether only the close of the connection ends the body. */
  #isBoundByClose = false
  /** Whether chunk framing is removed. */
  #isUnchunked = false
  #isTaken = true

  constructor(socket: Socket, request: RequestHead) {
    this.#socket = socket
    this.#request = request
  }

  /** Whether the upstream's head has arrived. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  interim({ status, reason, fields }: ResponseHead): void {
    if (this.#isOld) return
    this.#socket.write(headText(`HTTP/1.1 ${status} ${reason}`, toClient(fields)), 'latin1')
  }

  /** `mayBeKept`: whether the request allows the connection to be kept. Returns whether it is kept. */
  begin({ status, reason, fields, framing }: ResponseHead, mayBeKept: boolean): boolean {
    this.#hasBegun = true
    this.#isUnchunked = this.#isOld && isChunkedAlone(fields)
    this.#isBoundByClose = framing.kind === 'untilClose' || (this.#isUnchunked && framing.kind === 'chunked')
    const isKept = mayBeKept && !this.#isBoundByClose
    this.#heldHead = this.#headOf(status, reason, fields, isKept)
    return isKept
  }

  data(data: Buffer): void {
    if (this.#isUnchunked) this.#isTaken = this.#write(data)
  }

  /** The same part of the body with its framing. False if the client does not keep up. */
  raw(bytes: Buffer): boolean {
    if (!this.#isUnchunked) return this.#write(bytes)
    const isTaken = this.#isTaken
    this.#isTaken = true // false was for this data; what follows may be framing alone
    return isTaken
  }

  /** Called when no more bytes are available for now. */
  flush(): void {
    if (this.#heldHead === undefined) return
    this.#socket.write(this.#heldHead, 'latin1')
    this.#heldHead = undefined
  }

  /** Ends an incomplete response: the client keeps what it has and must not take it for the whole. */
  breakOff(): void {
    // where a close ends the body, only a reset shows that it is incomplete
    if (this.#isBoundByClose) resetConnection(this.#socket)
    else {
      this.flush()
      this.#socket.destroySoon()
    }
  }

  /** Sends `answer` in place of an upstream's response. Returns its status. */
  whole({ status, reason, fields, body }: WholeAnswer, isKept: boolean): number {
    const text = this.#headOf(status, reason, fields, isKept)
    writeJoined(this.#socket, text, this.#request.method === 'HEAD' ? undefined : body)
    return status
  }

  get #isOld(): boolean {
    return this.#request.minorVersion === 0
  }

  #headOf(status: number, reason: string, fields: Fields, isKept: boolean): string {
    const sent = this.#isOld ? withoutChunks(toClient(fields)) : toClient(fields)
    if (!isKept) sent.push(field('Connection', 'close'))
    else if (this.#isOld) sent.push(field('Connection', 'keep-alive'))
    return headText(`HTTP/1.1 ${status} ${reason}`, sent)
  }

  #write(bytes: Buffer): boolean {
    const head = this.#heldHead
    this.#heldHead = undefined
    return head === undefined ? this.#socket.write(bytes) : writeJoined(this.#socket, head, bytes)
  }
}

/**
 * Only plain chunking can be removed. Another transfer coding under the chunks would stay, but servers send none to a
 * client that did not ask for it.
 */
const isChunkedAlone = (fields: Fields) => isChunked(fieldValue(fields, 'transfer-encoding'))
const isChunked = (codings: string | undefined) => codings?.toLowerCase() === 'chunked'
const withoutChunks = (fields: Field[]) =>
  fields.filter(({ name, value }) => name !== 'trailer' && !(name === 'transfer-encoding' && isChunked(value)))
