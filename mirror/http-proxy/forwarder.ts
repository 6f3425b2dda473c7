import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ProxyServer } from 'http-proxy-3'
import { clientAddress } from '../forward/client-address.ts'
import type { LiveStage } from '../forward/live-stage.ts'
import { MalformedMessage } from '../http1/parse-fields.ts'
import type { LiveRequest } from '../live/live-watch.ts'
import { answerRefusal } from './answer-failure.ts'
import { bareRefusalText } from './client-error.ts'
import { breakOff, http2Request } from './http2/http2-messages.ts'
import { liveRequestOf } from './live-request.ts'
import { ProxiedRequest } from './proxied-request.ts'
import { restoreFraming } from './request-framing.ts'
import { Upgrades } from './upgrades/upgrades.ts'

/** Called for a request that reaches no upstream. */
export type Refused = (status: number, reason: string, client: string | undefined) => void

/**
 * Carries the live leg through Node's own HTTP and http-proxy-3: upgrades, HTTP/2 clients, and everything if
 * `forwarder:` says so. http-proxy-3 streams both ways and reports by events; each `ProxiedRequest` decides what to do
 * then.
 */
export class HttpProxyForwarder {
  readonly #proxy: ProxyServer
  readonly #stage: () => LiveStage
  readonly #requests = new WeakMap<IncomingMessage, ProxiedRequest>()
  readonly #upgrades: Upgrades
  readonly #refused: Refused
  /** Connections that end after a refusal; whatever a client sent ahead on them is ignored. */
  readonly #refusedOn = new WeakSet<Socket>()
  #isLeaving = false

  constructor(stage: () => LiveStage, refused: Refused) {
    this.#stage = stage
    this.#refused = refused
    // http-proxy-3 writes the response from an event, where a head that Node refuses to write would throw uncaught
    this.#proxy = new ProxyServer({ toProxy: true, selfHandleResponse: true })
    this.#proxy.before('web', 'stream', restoreFraming)
    this.#upgrades = new Upgrades(this.#proxy)
    this.#proxy.on('proxyReq', (proxyRequest, incoming) =>
      this.#contain(incoming, (request) => request.sending(proxyRequest)),
    )
    this.#proxy.on('proxyRes', (response, incoming) =>
      this.#contain(incoming, (request) => request.responded(response)),
    )
    this.#proxy.on('error', (error, incoming) => this.#contain(incoming, (request) => request.failed(error)))
  }

  forward(incoming: IncomingMessage, response: ServerResponse): void {
    if (this.#refusedOn.has(incoming.socket)) return
    const request = this.#read(incoming, (status) => {
      if (!http2Request(incoming)) this.#refusedOn.add(incoming.socket)
      answerRefusal(incoming, response, status)
    })
    if (!request) return
    const isLeaving = () => this.#isLeaving
    const proxied = new ProxiedRequest({ incoming, response, proxy: this.#proxy, isLeaving }, request, this.#stage())
    this.#requests.set(incoming, proxied)
    proxied.start()
  }

  upgrade(incoming: IncomingMessage, socket: Socket, head: Buffer): void {
    const request = this.#read(incoming, (status) => {
      // Node has removed its own error listener by now
      socket.on('error', () => {}).end(bareRefusalText(status))
      socket.destroySoon()
    })
    if (request) this.#upgrades.forward(request, { incoming, socket, head }, this.#stage())
  }

  /** From now on every response ends its client's connection, including those to requests in flight. */
  leave(): void {
    this.#isLeaving = true
  }

  destroyUpgraded(): void {
    this.#upgrades.destroy()
  }

  /** Refuses what is not a request, and returns undefined. */
  #read(incoming: IncomingMessage, refuse: (status: number) => void): LiveRequest | undefined {
    try {
      return liveRequestOf(incoming)
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error
      refuse(error.status)
      this.#refused(error.status, error.message, clientAddress(incoming.socket))
      return undefined
    }
  }

  /** Runs a step from an event of the upstream's streams, where an uncaught error would end the process. */
  #contain(incoming: IncomingMessage, step: (request: ProxiedRequest) => void): void {
    const request = this.#requests.get(incoming)
    if (request && !this.#stage().guard('answering a client', () => step(request))) breakOff(request.response)
  }
}
