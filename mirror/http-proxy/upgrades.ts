import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { ProxyServer } from 'http-proxy-3'
import { failureResponse } from '../forward/failure-response.ts'
import type { LiveEnd, LiveStage } from '../forward/live-watch.ts'
import type { Fields } from '../http1/fields.ts'
import { Handshake } from './handshake.ts'
import { liveRequestOf } from './live-request.ts'
import { proxyTarget } from './proxy-target.ts'

/** Connections that became something else than HTTP, with the primary at their other end. */
export class Upgrades {
  readonly #proxy: ProxyServer
  readonly #sockets = new Set<Socket>()
  readonly #handshakes = new WeakMap<IncomingMessage, Handshake>()

  constructor(proxy: ProxyServer) {
    this.#proxy = proxy
    proxy.on('proxyReqWs', (proxyRequest: ClientRequest, incoming: IncomingMessage) =>
      this.#handshakes.get(incoming)?.sending(proxyRequest, incoming.socket),
    )
  }

  forward(incoming: IncomingMessage, socket: Socket, head: Buffer, stage: LiveStage): void {
    const request = liveRequestOf(incoming)
    const upstream = stage.primary.next()!
    const handshake = new Handshake(request, upstream, stage)
    this.#handshakes.set(incoming, handshake)
    const { target } = upstream
    const fields = stage.headers.toUpstream(request, target.host)
    // http-proxy-3 sends these as they stand here; what asks for the upgrade is not for this connection alone
    const upgrade = { connection: incoming.headers.connection, upgrade: incoming.headers.upgrade }
    incoming.headers = Object.assign(headersOf(fields), upgrade)
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

function headersOf(fields: Fields): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { name, value } of fields) headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  return headers
}

function failureText(end: LiveEnd): string {
  const { status, reason, body } = failureResponse(end)
  const fields = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`
  return `HTTP/1.1 ${status} ${reason}\r\n${fields}\r\n\r\n${body}`
}
