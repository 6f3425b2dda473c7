import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * A server that answers the first bytes of each connection with exactly these bytes, and closes. Ends with the test.
 */
export async function rawUpstream(answer: (request: string) => string, leaveOpen = false): Promise<{ url: string }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', (data) => {
      const bytes = Buffer.from(answer(data.toString('latin1')), 'latin1')
      if (leaveOpen) socket.write(bytes)
      else socket.end(bytes)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Sends bytes as they are; returns what came until the other side closed or `isEnough`. */
export async function raw(url: string, text: string, isEnough = (_answer: string) => false): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
    if (isEnough(answer)) socket.end()
  })
  socket.write(text)
  await once(socket, 'close')
  return answer
}
