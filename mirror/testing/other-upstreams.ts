import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer, type ServerOptions } from 'node:https'
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempDir } from './mirror-under-test.ts'
import { localhostPem } from './tls/files.ts'

/** An upstream with TLS for `localhost` and 127.0.0.1, with a certificate of the tests' own authority. */
export async function tlsUpstream(
  answer: RequestListener,
  options: ServerOptions = {},
): Promise<{ port: number; names: Set<string> }> {
  const names = new Set<string>()
  const server = createHttpsServer({ ...localhostPem, ...options }, answer)
  server.on('secureConnection', ({ servername }) => names.add(String(servername)))
  return { port: await listening(server), names }
}

/** An upstream on a Unix socket. */
export async function unixUpstream(answer: RequestListener): Promise<string> {
  const path = join(tempDir(), 'app.sock')
  const server = createHttpServer(answer)
  server.listen(path)
  await once(server, 'listening')
  closeWithTest(server)
  return `unix:${path}`
}

/** An upstream that hands each connection to `serve`. */
export async function tcpUpstream(serve: (socket: Socket) => void): Promise<{ url: string; port: number }> {
  const port = await listening(
    createNetServer((socket) => {
      socket.on('error', () => {})
      serve(socket)
    }),
  )
  return { url: `http://127.0.0.1:${port}`, port }
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closeWithTest(server)
  return (server.address() as AddressInfo).port
}

function closeWithTest(server: Server): void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
}
