import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ProxyServer } from 'http-proxy-3'
import type { LiveStage } from '../forward/live-stage.ts'
import { breakOff } from './http2-messages.ts'
import { ProxiedRequest } from './proxied-request.ts'
import { restoreFraming } from './request-framing.ts'
import { Upgrades } from './upgrades.ts'

/**
 * The live leg by way of Node's own HTTP and http-proxy-3: upgrades and HTTP/2 clients, and everything where
 * `forwarder:` says so. http-proxy-3 streams both ways and tells of it by events; what to do then each request decides.
 */
export class HttpProxyForwarder {
  readonly #proxy: ProxyServer
  readonly #stage: () => LiveStage
  readonly #requests = new WeakMap<IncomingMessage, ProxiedRequest>()
  readonly #upgrades: Upgrades
  #isLeaving = false

  constructor(stage: () => LiveStage) {
    this.#stage = stage
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
    const isLeaving = () => this.#isLeaving
    const request = new ProxiedRequest({ incoming, response, proxy: this.#proxy, isLeaving }, this.#stage())
    this.#requests.set(incoming, request)
    request.start()
  }

  upgrade(incoming: IncomingMessage, socket: Socket, head: Buffer): void {
    this.#upgrades.forward(incoming, socket, head, this.#stage())
  }

  /** From now on every response, also to a request that is in flight, ends its client's connection. */
  leave(): void {
    this.#isLeaving = true
  }

  destroyUpgraded(): void {
    this.#upgrades.destroy()
  }

  /** These run in events of the upstream's streams: what they throw would end the process. */
  #contain(incoming: IncomingMessage, step: (request: ProxiedRequest) => void): void {
    const request = this.#requests.get(incoming)
    if (request && !this.#stage().guard('answering a client', () => step(request))) breakOff(request.response)
  }
}
