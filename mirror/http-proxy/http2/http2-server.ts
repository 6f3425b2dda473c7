import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Server as NodeServer,
  type ServerHttp2Session,
} from 'node:http2'
import type { Socket } from 'node:net'
import type { Milliseconds } from '../../../vocabulary/units.ts'
import { headerBytesMax } from '../../http1/header-limits.ts'
import { asksToContinue } from '../expectation.ts'

interface Http2ServerOptions {
  request(incoming: IncomingMessage, response: ServerResponse): void
  /** Without a frame either way, with no stream open; at least `stallMaxMs`. */
  idleMaxMs(): Milliseconds
  /** The same with one. Each request sets the session's timer to it. */
  stallMaxMs(): Milliseconds
}

/**
 * Of one connection; Node has limits of its own for pings (10 unanswered), settings (32 a frame), empty, invalid and
 * continued frames and refused streams (100 in a row), and ends a connection that goes beyond.
 */
const limits = {
  settings: { maxConcurrentStreams: 128, maxHeaderListSize: headerBytesMax, enablePush: false },
  // in MB: of all streams the windows (64 KiB) and what is on its way to the client, with as much to spare
  maxSessionMemory: 32,
  // the limit is on their bytes
  maxHeaderListPairs: 4096,
  // a client may change its mind about all of its streams twice over, and then about a few a second
  streamResetBurst: 256,
  streamResetRate: 32,
  // what upstreams send twice passes twice, as it does over HTTP/1.1
  strictSingleValueFields: false,
}
/** The highest there is: the client is to open no more streams, while those on their way still count. */
const anyStream = 2 ** 31 - 1

/** Connections of HTTP/2, by Node's own server: it knows frames, streams and windows, we see requests. */
export class Http2Server {
  readonly #options: Http2ServerOptions
  readonly #server: NodeServer
  readonly #sessions = new Set<ServerHttp2Session>()
  #isLeaving = false

  constructor(options: Http2ServerOptions) {
    const { request } = options
    this.#options = options
    this.#server = createServer(limits)
    // the types of `node:http`, which these stand in for
    const serve = (incoming: Http2ServerRequest, response: Http2ServerResponse) =>
      request(incoming as unknown as IncomingMessage, response as unknown as ServerResponse)
    this.#server.on('request', serve)
    const meet = (incoming: Http2ServerRequest, response: Http2ServerResponse) => {
      // where nobody listens Node does this itself, and throws for a client that has taken its request back
      const { closed, destroyed } = response.stream
      if (!closed && !destroyed && asksToContinue(incoming.headers.expect)) response.writeContinue()
      serve(incoming, response)
    }
    this.#server.on('checkContinue', meet)
    // what Node does not know it would refuse, `100-Continue` too
    this.#server.on('checkExpectation', meet)
    this.#server.on('session', (session) => this.#begin(session))
    // what a client does wrong ends its own connection, which is all there is to do about it
    this.#server.on('sessionError', () => {})
  }

  /** Takes a connection over, with what has been read of it. */
  serve(socket: Socket, read?: Buffer): void {
    socket.pause()
    // HTTP/2 has no half-closed connections: a client that ends its side is gone, with what it has asked for
    socket.allowHalfOpen = false
    if (read) socket.unshift(read)
    this.#server.emit('connection', socket)
  }

  /** Asks every client to open no new streams here. */
  leave(): void {
    this.#isLeaving = true
    for (const session of this.#sessions) announce(session)
  }

  /** For when no new request is on its way any more: connections end with the last of their streams. */
  closeGently(): void {
    for (const session of this.#sessions) session.close()
  }

  destroy(): void {
    for (const session of this.#sessions) session.destroy()
  }

  #begin(session: ServerHttp2Session): void {
    this.#sessions.add(session)
    session.once('close', () => this.#sessions.delete(session))
    this.#watchSilence(session)
    if (this.#isLeaving) announce(session)
  }

  #watchSilence(session: ServerHttp2Session): void {
    const { idleMaxMs, stallMaxMs } = this.#options
    let streams = 0
    let isIdle = false
    session.on('stream', (stream) => {
      streams++
      isIdle = false
      stream.once('close', () => streams--)
    })
    session.on('timeout', () => {
      const leftMs = idleMaxMs() - stallMaxMs()
      if (streams > 0 || isIdle || leftMs <= 0) session.destroy()
      else session.setTimeout(leftMs)
      isIdle = true
    })
    session.setTimeout(stallMaxMs())
  }
}

/** GOAWAY twice, now and by `close`: a request that crossed the first one on its way is served (RFC 9113, 6.8). */
function announce(session: ServerHttp2Session): void {
  if (!session.closed && !session.destroyed) session.goaway(0, anyStream)
}
