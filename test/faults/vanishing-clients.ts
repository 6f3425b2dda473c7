import { connect, type Socket } from 'node:net'
import { hugeAnswerQuery } from './primary.ts'

const everyMs = 25
const promisedBytes = 2048

/**
 * Clients of which nothing more is heard, a few at a time; to the mirror the silent and the blind ones are what is left
 * of a client whose machine or network is gone.
 */
const ways: readonly ((socket: Socket, path: string) => void)[] = [
  function silentInItsHead(socket) {
    socket.write('POST / HTTP/1.1\r\nhost: ')
  },
  function silentInItsBody(socket, path) {
    socket.write(half(path))
  },
  function goneInItsBody(socket, path) {
    socket.write(half(path), () => socket.destroy())
  },
  function blindToItsAnswer(socket, path) {
    socket.pause().write(`${half(path + hugeAnswerQuery)}${'1'.repeat(promisedBytes / 2)}`)
  },
]

const half = (path: string) =>
  `POST ${path} HTTP/1.1\r\nhost: mirror\r\ncontent-length: ${promisedBytes}\r\n\r\n${'1'.repeat(promisedBytes / 2)}`

export interface VanishingClients {
  /** No more come. Returns how many sent at least a whole head. */
  stop(): number
  /** The connections that are still there go too. */
  leave(): void
}

export function startVanishingClients(port: number, path: string): VanishingClients {
  const sockets = new Set<Socket>()
  let count = 0
  const coming = setInterval(() => {
    const vanish = ways[count++ % ways.length]!
    const socket = connect(port, '127.0.0.1', () => vanish(socket, path))
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }, everyMs)
  return {
    stop() {
      clearInterval(coming)
      return count - Math.ceil(count / ways.length)
    },
    leave() {
      for (const socket of sockets) socket.destroy()
    },
  }
}
