import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Server as NodeServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { Milliseconds } from '../../../vocabulary/units.ts'
import { asksToContinue } from '../../http1/expectation.ts'
import { headerBytesMax } from '../../http1/header-limits.ts'

interface Http2ServerOptions {
  request(incoming: IncomingMessage, response: ServerResponse): void
  /** Limit without a frame in either direction and with no stream open; at least `stallMaxMs`. */
  idleMaxMs(): Milliseconds
  /** The same while a stream is open. Each request sets the session's timer to it. */
  stallMaxMs(): Milliseconds
}

/**
 * Limits of one connection. Node has others of its own, for pings (10 unanswered), settings (32 a frame), empty,
 * invalid and continued frames, and refused streams (100 in a row), and ends a connection that exceeds them.
 */
const limits = {
  settings: { maxConcurrentStreams: 128, maxHeaderListSize: headerBytesMax, enablePush: false },
  // in MB: the windows of all streams (64 KiB each) and what is being sent to the client, doubled for reserve
  maxSessionMemory: 32,
  // the limit is in bytes
  maxHeaderListPairs: 4096,
  // a client may reset all of its streams twice over, and then a few a second
  streamResetBurst: 256,
  streamResetRate: 32,
  // repeated fields pass as they are, as over HTTP/1.1
  strictSingleValueFields: false,
}
/** The highest stream id: the client should open no more streams, but those on their way still count. */
const anyStream = 2 ** 31 - 1

/** Serves HTTP/2 connections with Node's own server, which handles frames, streams and windows; we see requests. */
export class Http2Server {
  readonly #options: Http2ServerOptions
  readonly #server: NodeServer
  readonly #sessions = new Set<ServerHttp2Session>()
  /** Those without a stream, the longest idle first. */
  readonly #idle = new Set<ServerHttp2Session>()
  #isLeaving = false

  constructor(options: Http2ServerOptions) {
    const { request } = options
    this.#options = options
    this.#server = createServer(limits)
    // cast to the types of `node:http`, in whose place these messages stand
    const serve = (incoming: Http2ServerRequest, response: Http2ServerResponse) =>
      request(incoming as unknown as IncomingMessage, response as unknown as ServerResponse)
    this.#server.on('request', serve)
    const meet = (incoming: Http2ServerRequest, response: Http2ServerResponse) => {
      // without a listener Node sends the 100 itself, and throws if the client has withdrawn the request
      const { closed, destroyed } = response.stream
      if (!closed && !destroyed && asksToContinue(incoming.headers.expect)) response.writeContinue()
      serve(incoming, response)
    }
    this.#server.on('checkContinue', meet)
    // Node would refuse expectations that it does not know, even `100-Continue`
    this.#server.on('checkExpectation', meet)
    this.#server.on('session', (session) => this.#begin(session))
    // a protocol error ends the client's own connection, and nothing else needs to be done
    this.#server.on('sessionError', () => {})
  }

  /** Takes over a connection, with the bytes read so far. */
  serve(socket: Socket, read?: Buffer): void {
    socket.pause()
    // HTTP/2 has no half-closed connections: a client that ends its side is gone, and so are its requests
    socket.allowHalfOpen = false
    if (read) socket.unshift(read)
    this.#server.emit('connection', socket)
  }

  /** Asks every client to open no new streams here. */
  leave(): void {
    this.#isLeaving = true
    for (const session of this.#sessions) announce(session)
  }

  /** For when no new requests are on their way: each connection ends with the last of its streams. */
  closeGently(): void {
    for (const session of this.#sessions) session.close()
  }

  /** Returns how many it has closed: none if every session has a stream. */
  closeLongestIdle(): 0 | 1 {
    const [longest] = this.#idle
    if (!longest) return 0
    this.#idle.delete(longest)
    longest.destroy()
    return 1
  }

  destroy(): void {
    for (const session of this.#sessions) session.destroy()
  }

  #begin(session: ServerHttp2Session): void {
    this.#sessions.add(session)
    this.#idle.add(session)
    session.once('close', () => {
      this.#sessions.delete(session)
      this.#idle.delete(session)
    })
    session.on('stream', breakUnended)
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
      this.#idle.delete(session)
      stream.once('close', () => {
        streams--
        if (streams === 0 && !session.destroyed) this.#idle.add(session)
      })
    })
    // if this process was busy, what the client has sent by then may still be unread: that is read first
    const endUnlessHeard = () => {
      const { bytesRead } = session.socket
      setImmediate(() => {
        if (session.destroyed) return
        if (session.socket.bytesRead === bytesRead) session.destroy()
        else restart()
      })
    }
    const restart = () => {
      isIdle = false
      session.setTimeout(stallMaxMs())
    }
    session.on('timeout', () => {
      const leftMs = idleMaxMs() - stallMaxMs()
      if (streams > 0 || isIdle || leftMs <= 0) endUnlessHeard()
      else {
        isIdle = true
        session.setTimeout(leftMs)
      }
    })
    restart()
  }
}

/**
 * If a client resets a stream without an error before its request has ended, Node ends the body as if it were whole.
 * This breaks it off, as Node does after a reset with an error.
 */
function breakUnended(stream: ServerHttp2Stream): void {
  let hasEnded = stream.endAfterHeaders
  stream.push = (chunk, encoding) => {
    if (chunk === null && stream.closed && !hasEnded) {
      // Node still needs the stream in this turn
      setImmediate(() => stream.destroy())
      return false
    }
    hasEnded ||= chunk === null
    return Duplex.prototype.push.call(stream, chunk, encoding)
  }
}

/**
 * Sends the first of two GOAWAYs, `close` the second: a request that crossed the first is still served (RFC 9113, 6.8).
 */
function announce(session: ServerHttp2Session): void {
  if (!session.closed && !session.destroyed) session.goaway(0, anyStream)
}
