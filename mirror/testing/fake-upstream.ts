import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createNetServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { freePorts } from '../../runtime/testing/free-ports.ts'
import { keepsConnections } from './keeps-connections.ts'

export interface FakeUpstream {
  url: string
  port: number
  server: Server
  /** Requests in order of arrival. */
  heads: { method: string; url: string; headers: IncomingMessage['headers']; rawHeaders: string[] }[]
  /** Refuses connections from now on, while the port stays reserved: no server gets it unless it asks for it. */
  close(): Promise<void>
}

/** A real HTTP server that answers as the test says. Closed when the test ends. */
export async function fakeUpstream(answer: RequestListener, port = 0): Promise<FakeUpstream> {
  const heads: FakeUpstream['heads'] = []
  const server = createServer(keepsConnections, (request, response) => {
    const { method, url, headers, rawHeaders } = request
    heads.push({ method: method!, url: url!, headers, rawHeaders })
    answer(request, response)
  })
  // one that the system assigns to nobody: after a close, or the test's end, others still ask there for a while
  server.listen(port || (await freePorts(1)), '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  onTestFinished(close)
  const taken = (server.address() as AddressInfo).port
  const closeForNow = async () => {
    await close()
    await keepPort(taken)
  }
  return { url: `http://127.0.0.1:${taken}`, port: taken, server, heads, close: closeForNow }
}

/**
 * Until the test ends, one end of a connection uses `port`, so that the system assigns it to nobody who asks for any
 * port.
 */
async function keepPort(port: number): Promise<void> {
  const other = createNetServer((socket) => socket.resume()).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port: otherPort } = other.address() as AddressInfo
  const end = connect({ host: '127.0.0.1', port: otherPort, localAddress: '127.0.0.1', localPort: port })
  await once(end, 'connect')
  onTestFinished(() => {
    end.destroy()
    other.close()
  })
}

/** Reads the request and answers with `body`. */
export const answering =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): RequestListener =>
  (request, response) => {
    request.resume()
    request.on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(body)
    })
  }

/** Reads the request and never answers. */
export const hanging: RequestListener = (request) => {
  request.resume()
}

export async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
