import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ProxyServer } from 'http-proxy-3'
import { clientAddress } from '../forward/client-address.ts'
import type { LiveStage } from '../forward/live-stage.ts'
import type { LiveRequest } from '../forward/live-watch.ts'
import { MalformedMessage } from '../http1/parse-fields.ts'
import { answerRefusal } from './answer-failure.ts'
import { refusalText } from './client-error.ts'
import { breakOff, http2Request } from './http2/http2-messages.ts'
import { liveRequestOf } from './live-request.ts'
import { ProxiedRequest } from './proxied-request.ts'
import { restoreFraming } from './request-framing.ts'
import { Upgrades } from './upgrades/upgrades.ts'

/** Told of a request that no upstream gets to see. */
export type Refused = (status: number, reason: string, client: string | undefined) => void

/**
 * The live leg by way of Node's own HTTP and http-proxy-3: upgrades and HTTP/2 clients, and everything where
 * `forwarder:` says so. http-proxy-3 streams both ways and tells of it by events; what to do then each request decides.
 */
export class HttpProxyForwarder {
  readonly #proxy: ProxyServer
  readonly #stage: () => LiveStage
  readonly #requests = new WeakMap<IncomingMessage, ProxiedRequest>()
  readonly #upgrades: Upgrades
  readonly #refused: Refused
  /** Their connections end behind the answer: what a client has sent ahead is nobody's request any more. */
  readonly #refusedOn = new WeakSet<Socket>()
  #isLeaving = false

  constructor(stage: () => LiveStage, refused: Refused) {
    this.#stage = stage
    this.#refused = refused
    // its own way to answer throws where nobody catches, on a head that Node will not write
    this.#proxy = new ProxyServer({ toProxy: true, selfHandleResponse: true })
    this.#proxy.before('web', 'stream', restoreFraming)
    this.#upgrades = new Upgrades(this.#proxy)
    this.#proxy.on('proxyReq', (proxyRequest, incoming) =>
      this.#contain(incoming, (request) => request.sending(proxyRequest)),
    )
    this.#proxy.on('proxyRes', (response, incoming) =>
      this.#contain(incoming, (request) => request.responded(response)),
    )
    this.#proxy.on('error', (_error, incoming) => this.#contain(incoming, (request) => request.failed()))
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
      // Node's own listener is gone by now
      socket.on('error', () => {}).end(refusalText(status))
      socket.destroySoon()
    })
    if (request) this.#upgrades.forward(request, incoming, socket, head, this.#stage())
  }

  /** From now on every response, also to a request that is in flight, ends its client's connection. */
  leave(): void {
    this.#isLeaving = true
  }

  destroyUpgraded(): void {
    this.#upgrades.destroy()
  }

  /** What is no request is refused, and none. */
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

  /** These run in events of the upstream's streams: what they throw would end the process. */
  #contain(incoming: IncomingMessage, step: (request: ProxiedRequest) => void): void {
    const request = this.#requests.get(incoming)
    if (request && !this.#stage().guard('answering a client', () => step(request))) breakOff(request.response)
  }
}
