import type { Socket } from 'node:net'
import { toClient } from '../forward/live-headers.ts'
import type { WholeAnswer } from '../forward/set-aside.ts'
import { type Field, type Fields, field, fieldValue, headText } from '../http1/fields.ts'
import type { RequestHead } from '../http1/request-head.ts'
import type { ResponseHead } from '../http1/response-head.ts'
import { resetConnection } from '../reset-connection.ts'
import { writeJoined } from '../upstream/upstream-connection.ts'

/**
 * One response on its way to a client: byte for byte as it comes, its head changed where it concerns a connection. A
 * client of HTTP/1.0 knows neither interim responses nor chunks: it gets the data alone, which its connection's end ends.
 */
export class ClientResponse {
  readonly #socket: Socket
  readonly #request: RequestHead
  /** Until it can go out together with the first of the body. */
  #heldHead: string | undefined
  #hasBegun = false
  /** Whether only the end of the connection tells the client where the body ends. */
  #isBoundByClose = false
  /** Whether chunks are taken off. */
  #isUnchunked = false
  #isTaken = true

  constructor(socket: Socket, request: RequestHead) {
    this.#socket = socket
    this.#request = request
  }

  /** Whether the upstream's head has been here. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  interim({ status, reason, fields }: ResponseHead): void {
    if (this.#isOld) return
    this.#socket.write(headText(`HTTP/1.1 ${status} ${reason}`, toClient(fields)), 'latin1')
  }

  /** `mayBeKept`: the connection, as far as the request goes. Says whether it is. */
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

  /** The same part of the body with its framing. False where the client does not keep up. */
  raw(bytes: Buffer): boolean {
    if (!this.#isUnchunked) return this.#write(bytes)
    const isTaken = this.#isTaken
    this.#isTaken = true // of these bytes; what follows may be framing alone
    return isTaken
  }

  /** Nothing more is here for now. */
  flush(): void {
    if (this.#heldHead === undefined) return
    this.#socket.write(this.#heldHead, 'latin1')
    this.#heldHead = undefined
  }

  /** In its middle: the client has what there is of it, and must not take it for all. */
  breakOff(): void {
    // only a reset tells where the connection's end is what ends a body
    if (this.#isBoundByClose) resetConnection(this.#socket)
    else {
      this.flush()
      this.#socket.destroySoon()
    }
  }

  /** In place of an upstream's. Returns its status. */
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

/** A coding beneath the chunks could not be taken off, and none is sent to who did not ask for it. */
const isChunkedAlone = (fields: Fields) => isChunked(fieldValue(fields, 'transfer-encoding'))
const isChunked = (codings: string | undefined) => codings?.toLowerCase() === 'chunked'
const withoutChunks = (fields: Field[]) =>
  fields.filter(({ name, value }) => name !== 'trailer' && !(name === 'transfer-encoding' && isChunked(value)))
