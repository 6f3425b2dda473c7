/** For tests: a client that sends exactly the given bytes. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface RawConnection {
  socket: Socket
  /** Everything received until the server closed the connection. */
  answer: Promise<string>
}

export async function openConnection(url: string, text: string | Buffer): Promise<RawConnection> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  await once(socket, 'connect')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  // a reset after the answer also counts as an end
  socket.on('error', () => {})
  const answer = new Promise<string>((resolve) => {
    const done = () => {
      socket.destroy()
      resolve(Buffer.concat(chunks).toString('latin1'))
    }
    socket.on('end', done)
    socket.on('close', done)
  })
  socket.write(text)
  return { socket, answer }
}

export const head = (path: string, ...headers: string[]) =>
  `${[`POST ${path} HTTP/1.1`, 'host: test', ...headers].join('\r\n')}\r\n\r\n`
