import { type AgentOptions, type ClientRequest, Agent as HttpAgent, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import type { ProxyServer } from 'http-proxy-3'
import { failureResponse } from '../../forward/failure-response.ts'
import type { LiveStage } from '../../forward/live-stage.ts'
import type { Fields } from '../../http1/fields.ts'
import { field, headText } from '../../http1/fields.ts'
import type { LiveEnd, LiveRequest } from '../../live/live-watch.ts'
import { addressesOf } from '../../upstream/silent-addresses.ts'
import { proxyTarget } from '../proxy-target.ts'
import { Handshake } from './handshake.ts'
import { passRefusal, switchProtocols } from './handshake-answer.ts'
import { setHandshakeHeaders } from './handshake-headers.ts'

interface Asked {
  fields: Fields
  stage: LiveStage
  /** Set once http-proxy-3 has made it, which it does synchronously. */
  proxyRequest: ClientRequest | undefined
}

/** As Node hands over a connection whose request asks for another protocol. */
interface UpgradingClient {
  incoming: IncomingMessage
  socket: Socket
  /** What came after the request's head. */
  head: Buffer
}

/** Connections that switched protocols, each with the primary at its other end. */
export class Upgrades {
  readonly #proxy: ProxyServer
  readonly #sockets = new Set<Socket>()
  readonly #asked = new WeakMap<IncomingMessage, Asked>()

  constructor(proxy: ProxyServer) {
    this.#proxy = proxy
    proxy.on('proxyReqWs', (proxyRequest: ClientRequest, incoming: IncomingMessage) => {
      const asked = this.#asked.get(incoming)!
      asked.proxyRequest = proxyRequest
      const set = () => setHandshakeHeaders(proxyRequest, incoming, asked.fields)
      // thrown here, an error would leave behind a request whose own errors nobody handles
      if (!asked.stage.guard('upgrading a connection', set)) incoming.socket.destroy()
    })
  }

  /** May throw; the caller must then destroy the connection. */
  forward(request: LiveRequest, { incoming, socket, head }: UpgradingClient, stage: LiveStage): void {
    const choice = stage.chooseForHandshake(request)
    const upstream = choice.upstreams.next()!
    const handshake = new Handshake(choice, upstream, stage)
    this.#sockets.add(socket)
    socket.once('close', () => {
      this.#sockets.delete(socket)
      handshake.left()
      // including an answer that is under way
      this.#asked.get(incoming)?.proxyRequest?.destroy()
    })
    const fields = stage.headers.toUpstream(request, upstream, choice.trace)
    const asked: Asked = { fields, stage, proxyRequest: undefined }
    this.#asked.set(incoming, asked)
    // http-proxy-3 reads only these, and would mangle others
    incoming.headers = { connection: incoming.headers.connection, upgrade: incoming.headers.upgrade }
    const { target } = upstream
    const { tls } = target
    this.#proxy.ws(incoming, socket, head, {
      target: proxyTarget(target),
      agent: target.isTls ? overTls : plain,
      prependPath: target.pathPrefix !== '',
      ...(tls && { ssl: { ...tls }, secure: tls.rejectUnauthorized }),
    })
    if (asked.proxyRequest) this.#pass(asked.proxyRequest, socket, handshake, stage)
  }

  /** Takes over the answer, which http-proxy-3 would otherwise pass on. */
  #pass(proxyRequest: ClientRequest, client: Socket, handshake: Handshake, stage: LiveStage): void {
    for (const event of ['upgrade', 'response', 'error']) proxyRequest.removeAllListeners(event)
    proxyRequest.on('error', (error) => {
      const end = handshake.failed(error)
      // once there is an answer, its own end decides
      if (end === undefined || client.destroyed) return
      client.write(failureText(end))
      client.destroySoon()
    })
    handshake.sending(proxyRequest, client)
    // runs from events of the upstream's streams, where an uncaught error would end the process
    const contain = (step: () => void) => {
      if (!stage.guard('upgrading a connection', step)) client.destroy()
    }
    proxyRequest.once('upgrade', (response, primary, early) =>
      contain(() => switchProtocols(response, primary, early, client)),
    )
    proxyRequest.once('response', (response) => contain(() => passRefusal(response, client, stage.silenceMaxMs)))
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** Agents without keep-alive: each connection belongs to one client for as long as it lasts. */
const plain = new HttpAgent({ lookup: addressesOf } as AgentOptions)
const overTls = new HttpsAgent({ lookup: addressesOf } as AgentOptions)

function failureText(end: LiveEnd): string {
  const { status, reason, fields, body } = failureResponse(end)
  return headText(`HTTP/1.1 ${status} ${reason}`, [...fields, field('Connection', 'close')]) + body
}
