import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls'
import { acceptWaiting } from '../../runtime/accept-waiting.ts'
import type { ListenAddress } from '../../runtime/config/fields.ts'
import { listen } from '../../runtime/listen.ts'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import { type Certificate, endOf } from '../certificate.ts'
import { clientAddress } from '../forward/client-address.ts'
import type { LiveStage } from '../forward/live-stage.ts'
import { refuseAsNode } from '../http-proxy/client-error.ts'
import { HttpProxyForwarder, type Refused } from '../http-proxy/forwarder.ts'
import { breakOff } from '../http-proxy/http2/http2-messages.ts'
import { Http2Server } from '../http-proxy/http2/http2-server.ts'
import { headerBytesMax } from '../http1/header-limits.ts'
import { keepAliveProbes } from '../keep-alive-probes.ts'
import { onRoomNeeded, tookSpare } from '../spare-descriptors.ts'
import { until } from '../until.ts'
import { ClientConnection } from '../wire/client-connection.ts'
import { beginsWithPreface, readFirstBytes } from './first-bytes.ts'
import { LongestIdle } from './longest-idle.ts'

interface FrontDoorOptions {
  /** The stage for new requests. */
  stage: () => LiveStage
  tls: Certificate | undefined
  refused?: Refused
  /** Called for every TLS handshake that ends with an error, whatever the reason. */
  handshakeFailed?: (error: Error, client: string | undefined) => void
  /** Called when idle clients were closed because file descriptors run short. */
  closedIdle?: (clients: number) => void
  /** Limit for a TLS handshake. */
  handshakeMaxMs?: Milliseconds
}

const headMaxMs = 60_000
const handshakeMaxMs = 10_000
/**
 * A client may be about to reuse an idle connection; after this long without any request, none is expected. Also the
 * limit for a request's head once the mirror is leaving.
 */
const quietMs = 1000
const closingMs = 50
/**
 * As many as Linux allows unless told otherwise. A client of a burst that finds no room waits a second or more until TCP
 * tries again.
 */
const waitingMax = 4096

/**
 * Accepts clients. HTTP/1 connections are served from the wire, one `ClientConnection` each. Other protocols, or
 * everything if `forwarder:` says so, go to Node's own servers with http-proxy-3 behind them. HTTP/2 is chosen by ALPN,
 * or by prior knowledge, which shows in the client's first bytes.
 */
export class FrontDoor {
  readonly #options: FrontDoorOptions
  readonly #net: NetServer | TlsServer
  readonly #http: HttpServer
  readonly #http2: Http2Server
  readonly #forwarder: HttpProxyForwarder
  readonly #connections = new Set<ClientConnection>()
  readonly #longestIdle = new LongestIdle(this.#connections)
  /** Every accepted socket, whatever its protocol. */
  readonly #sockets = new Set<Socket>()
  /** Sockets that have not shown their protocol yet. */
  readonly #silent = new Set<Socket>()
  /** Sockets in a TLS handshake, by client address and port. */
  readonly #shaking = new Map<string, Socket>()
  #isLeaving = false
  #lastRequestAt = 0
  /** Clients that hold a descriptor which idle clients leave to others. */
  #onSpare = 0
  readonly #stopMakingRoom = onRoomNeeded(() => {
    // Node's server could only close all of its idle clients
    if (this.#options.stage().forwarder === 'wire') this.#closeLongestIdle()
  })
  #certificateEndsAt: EpochMs | undefined

  constructor(options: FrontDoorOptions) {
    this.#options = options
    this.#forwarder = new HttpProxyForwarder(options.stage, (...refusal) => this.#options.refused?.(...refusal))
    this.#certificateEndsAt = options.tls && endOf(options.tls)
    this.#net = options.tls ? this.#createTlsServer(options.tls) : this.#createNetServer()
    this.#http = this.#createHttpServer()
    this.#http2 = new Http2Server({
      request: (incoming, response) => this.#forward(incoming, response),
      idleMaxMs: () => this.#options.stage().idleMaxMs,
      stallMaxMs: () => this.#stallMaxMs(),
    })
  }

  /** Returns the URL. Rejects if the address is taken. */
  async listen(address: ListenAddress): Promise<string> {
    const url = await listen(this.#net, address, waitingMax)
    return this.#options.tls ? url.replace('http:', 'https:') : url
  }

  /** Serves a connection that another process accepted for this one, which does not listen. */
  take(socket: Socket): void {
    socket.allowHalfOpen = true
    this.#net.emit('connection', socket)
  }

  /** Open connections of every protocol. */
  get connections(): number {
    return this.#sockets.size
  }

  /** Of the certificate that new clients are shown; undefined without TLS. */
  get certificateEndsAt(): EpochMs | undefined {
    return this.#certificateEndsAt
  }

  /** Applies to new connections only. */
  replaceCertificate(certificate: Certificate): void {
    if (!('setSecureContext' in this.#net)) return
    this.#net.setSecureContext(certificate)
    this.#certificateEndsAt = endOf(certificate)
  }

  /**
   * Accepts no new connections and lets open ones end by themselves: their next response tells the client to close.
   * Idle connections are closed once no requests come any more, all of them by `deadlineMs`. Returns whether any had to
   * be cut off.
   */
  async drain(deadlineMs: Milliseconds): Promise<'drained' | 'cut'> {
    const endsAt = performance.now() + deadlineMs
    this.#isLeaving = true
    this.#forwarder.leave()
    this.#http2.leave()
    this.#http.headersTimeout = quietMs
    for (const connection of this.#connections) connection.leave()
    if (this.#net.listening) await acceptWaiting(this.#net, deadlineMs)
    this.#net.close()
    this.#lastRequestAt = performance.now()
    const isEmpty = () => this.#sockets.size === 0
    await until(() => {
      if (performance.now() - this.#lastRequestAt >= quietMs) this.#closeIdle()
      return isEmpty()
    }, endsAt - performance.now())
    // closing an idle connection cuts nobody off
    this.#closeIdle()
    await until(isEmpty, closingMs)
    const isDrained = isEmpty()
    this.#http.close() // it never listened; this only stops its timer
    this.#http.closeAllConnections()
    this.#http2.destroy()
    for (const connection of this.#connections) connection.destroy()
    for (const socket of this.#sockets) socket.destroy()
    this.#forwarder.destroyUpgraded()
    this.#stopMakingRoom()
    return isDrained ? 'drained' : 'cut'
  }

  #accept(socket: Socket): void {
    if ((socket as TLSSocket).alpnProtocol === 'h2') this.#http2.serve(socket)
    else if (this.#options.stage().forwarder === 'wire') this.#serveFromWire(socket)
    else this.#serveFromNode(socket)
  }

  #serveFromNode(socket: Socket): void {
    const forget = () => this.#silent.delete(socket)
    this.#silent.add(socket)
    socket.once('close', forget)
    readFirstBytes(socket, this.#options.stage().idleMaxMs, (read) => {
      socket.off('close', forget)
      forget()
      this.#handOver(socket, read)
    })
  }

  #serveFromWire(socket: Socket): void {
    const connection: ClientConnection = new ClientConnection(socket, {
      stage: this.#options.stage,
      isLeaving: () => this.#isLeaving,
      headMaxMs: () => (this.#isLeaving ? quietMs : headMaxMs),
      idleMaxMs: () => this.#options.stage().idleMaxMs,
      stallMaxMs: () => this.#stallMaxMs(),
      handOver: (handed, read) => {
        // these bytes may be only the beginning of an HTTP/2 preface
        this.#serveFromNode(handed)
        handed.unshift(read)
      },
      requested: (at) => {
        this.#lastRequestAt = at
      },
      refused: (status, reason, from) => this.#options.refused?.(status, reason, clientAddress(from)),
      closed: (closed) => this.#connections.delete(closed),
    })
    this.#connections.add(connection)
  }

  #handOver(socket: Socket, read: Buffer): void {
    if (beginsWithPreface(read)) {
      this.#http2.serve(socket, read)
      return
    }
    const { idleMaxMs } = this.#options.stage()
    // before the first request, and between requests
    this.#http.timeout = idleMaxMs
    this.#http.keepAliveTimeout = idleMaxMs
    // each pipelined request adds a listener for the connection's end
    socket.setMaxListeners(0)
    this.#http.emit('connection', socket)
    socket.unshift(read)
  }

  #forward(incoming: IncomingMessage, response: ServerResponse): void {
    this.#lastRequestAt = performance.now()
    const forward = () => {
      // over HTTP/2 too this is the connection's timeout; a reload may have changed it
      incoming.socket.setTimeout(this.#stallMaxMs())
      this.#forwarder.forward(incoming, response)
    }
    if (!this.#options.stage().guard('forwarding a request', forward)) breakOff(response)
  }

  /**
   * Limit without a byte in either direction within a request. It exceeds the limit for an upstream's silence, so that
   * the client gets its 504 first.
   */
  #stallMaxMs(): Milliseconds {
    return this.#options.stage().silenceMaxMs + headMaxMs
  }

  #closeIdle(): void {
    this.#http.closeIdleConnections()
    this.#http2.closeGently()
    for (const connection of this.#connections) if (connection.isIdle) connection.close()
    for (const socket of [...this.#silent, ...this.#shaking.values()]) socket.destroy()
  }

  #createNetServer(): NetServer {
    return createNetServer({ allowHalfOpen: true, noDelay: true, ...keepAliveProbes }, (socket) => {
      this.#track(socket)
      this.#accept(socket)
    })
  }

  #createTlsServer(certificate: Certificate): TlsServer {
    const handshakeTimeout = this.#options.handshakeMaxMs ?? handshakeMaxMs
    const options = { ...certificate, ...keepAliveProbes, handshakeTimeout, allowHalfOpen: true, noDelay: true }
    const server = createTlsServer({ ...options, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
      this.#shaking.delete(peerOf(socket))
      socket.allowHalfOpen = true
      this.#accept(socket)
    })
    // not half-open during the handshake: a client that ends its side then, as a port probe does, wants nothing
    server.prependListener('connection', (socket: Socket) => {
      socket.allowHalfOpen = false
      this.#track(socket)
      const peer = peerOf(socket)
      this.#shaking.set(peer, socket)
      socket.once('close', () => this.#shaking.get(peer) === socket && this.#shaking.delete(peer))
    })
    server.on('tlsClientError', (error, socket) => {
      this.#options.handshakeFailed?.(error, clientAddress(socket))
      socket.destroy()
    })
    return server
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket)
    const isOnSpare = tookSpare(socket)
    if (isOnSpare) this.#onSpare++
    socket.once('close', () => {
      this.#sockets.delete(socket)
      if (isOnSpare) this.#onSpare--
    })
    if (this.#onSpare > 0) this.#closeLongestIdle()
  }

  /** Makes room for a client or a request that has come, before there is none left for the next. */
  #closeLongestIdle(): void {
    const longest = this.#longestIdle.take()
    longest?.destroy()
    const closed = longest ? 1 : this.#http2.closeLongestIdle() || this.#closeIdleOfNode()
    if (closed > 0) this.#options.closedIdle?.(closed)
  }

  /** All of them: Node does not say which are idle, nor for how long. */
  #closeIdleOfNode(): number {
    if (this.#options.stage().forwarder === 'wire') return 0
    const open = () => this.#sockets.values().reduce((count, { destroyed }) => (destroyed ? count : count + 1), 0)
    const before = open()
    this.#http.closeIdleConnections()
    return before - open()
  }

  #createHttpServer(): HttpServer {
    const server = createHttpServer({
      maxHeaderSize: headerBytesMax,
      headersTimeout: headMaxMs,
      connectionsCheckingInterval: quietMs,
      // a long upload is fine; a silent one is ended by the socket's own timeout
      requestTimeout: 0,
      shouldUpgradeCallback: isHandshake,
    })
    server.maxHeadersCount = 0 // the limit is in bytes; a limit on the count would drop further headers silently
    server.on('request', (incoming, response) => this.#forward(incoming, response))
    // Node would answer 417
    server.on('checkExpectation', (incoming, response) => this.#forward(incoming, response))
    server.on('upgrade', (request, socket, head) => {
      const upgrade = () => this.#forwarder.upgrade(request, socket as Socket, head)
      if (!this.#options.stage().guard('upgrading a connection', upgrade)) socket.destroy()
    })
    // without a listener Node destroys the socket at once, and what this process was too busy to read with it
    server.on('timeout', (socket) => {
      const { bytesRead } = socket
      setImmediate(() => socket.bytesRead === bytesRead && socket.destroy())
    })
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const client = clientAddress(socket as Socket)
      const status = refuseAsNode(error, socket as Socket)
      if (status) this.#options.refused?.(status, error.message, client)
    })
    // the server never listens itself; this event starts its check for slow heads
    server.emit('listening')
    return server
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

/** The same rule as on the wire: a GET without a body (RFC 6455, 4.1). Any other upgrade is ignored. */
const isHandshake = ({ method, headers }: IncomingMessage) =>
  headers.upgrade?.toLowerCase() === 'websocket' &&
  method === 'GET' &&
  headers['transfer-encoding'] === undefined &&
  !(Number(headers['content-length']) > 0)
