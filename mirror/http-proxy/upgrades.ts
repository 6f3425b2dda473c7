import { type AgentOptions, type ClientRequest, Agent as HttpAgent, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import type { ProxyServer } from 'http-proxy-3'
import { failureResponse } from '../forward/failure-response.ts'
import type { LiveEnd, LiveStage } from '../forward/live-watch.ts'
import type { Fields } from '../http1/fields.ts'
import { sharedLookup } from '../upstream/shared-lookup.ts'
import { Handshake } from './handshake.ts'
import { keepHandshakeHeaders, setHandshakeHeaders } from './handshake-headers.ts'
import { liveRequestOf } from './live-request.ts'
import { proxyTarget } from './proxy-target.ts'

/** Connections that became something else than HTTP, with the primary at their other end. */
export class Upgrades {
  readonly #proxy: ProxyServer
  readonly #sockets = new Set<Socket>()
  readonly #handshakes = new WeakMap<IncomingMessage, { handshake: Handshake; fields: Fields; stage: LiveStage }>()

  constructor(proxy: ProxyServer) {
    this.#proxy = proxy
    proxy.on('proxyReqWs', (proxyRequest: ClientRequest, incoming: IncomingMessage) => {
      const { handshake, fields, stage } = this.#handshakes.get(incoming)!
      const send = () => {
        setHandshakeHeaders(proxyRequest, incoming, fields)
        // before http-proxy-3 passes them on
        proxyRequest.prependOnceListener('upgrade', keepHandshakeHeaders)
        handshake.sending(proxyRequest, incoming.socket)
      }
      // an event of the upstream's: what is thrown here would end the process
      if (!stage.guard('upgrading a connection', send)) incoming.socket.destroy()
    })
  }

  forward(incoming: IncomingMessage, socket: Socket, head: Buffer, stage: LiveStage): void {
    const request = liveRequestOf(incoming)
    const upstream = stage.chooseForHandshake(request)
    const handshake = new Handshake(request, upstream, stage)
    const { target } = upstream
    this.#handshakes.set(incoming, { handshake, fields: stage.headers.toUpstream(request, target.host), stage })
    // all that http-proxy-3 looks at; the rest it would take apart
    incoming.headers = { connection: incoming.headers.connection, upgrade: incoming.headers.upgrade }
    this.#sockets.add(socket)
    socket.once('close', () => {
      this.#sockets.delete(socket)
      handshake.left()
    })
    const { tls } = target
    this.#proxy.ws(
      incoming,
      socket,
      head,
      {
        target: proxyTarget(target),
        agent: target.isTls ? overTls : plain,
        prependPath: target.pathPrefix !== '',
        ...(tls && { ssl: { ...tls }, secure: tls.rejectUnauthorized }),
      },
      () => {
        const end = handshake.failed()
        if (end !== undefined && !socket.destroyed) socket.write(failureText(end))
      },
    )
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** Keep nothing alive: a connection is the client's for as long as it stays. */
const plain = new HttpAgent({ lookup: sharedLookup } as AgentOptions)
const overTls = new HttpsAgent({ lookup: sharedLookup } as AgentOptions)

function failureText(end: LiveEnd): string {
  const { status, reason, body } = failureResponse(end)
  const fields = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`
  return `HTTP/1.1 ${status} ${reason}\r\n${fields}\r\n\r\n${body}`
}
