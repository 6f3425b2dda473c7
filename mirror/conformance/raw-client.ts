import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'

export interface RawClient {
  socket: Socket
  /** Every byte received, as latin1. */
  received: string
  end: 'open' | 'FIN' | 'RST'
}

/** A TCP client that writes what it is told and keeps what it receives. Its own side stays open whatever comes. */
export async function rawClient(url: string): Promise<RawClient> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  const client: RawClient = { socket, received: '', end: 'open' }
  socket.on('data', (chunk) => {
    client.received += chunk.toString('latin1')
  })
  socket.on('end', () => {
    client.end = 'FIN'
  })
  socket.on('error', () => {
    client.end = 'RST'
  })
  onTestFinished(() => {
    socket.destroy()
  })
  await once(socket, 'connect')
  return client
}

/** Sends each piece in a write of its own, which the other side (in the same process) reads before the next. */
export async function sendPieces({ socket }: RawClient, pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return
    socket.write(piece, 'latin1')
    await turn()
    await turn()
  }
}

/** Waits until the connection has ended or `isEnough`; false if neither happens. */
export function received(
  client: RawClient,
  isEnough: (bytes: string) => boolean,
  deadlineMs?: Milliseconds,
): Promise<boolean> {
  const isThere = () => client.end !== 'open' || isEnough(client.received)
  return waitFor('bytes', isThere, Boolean, deadlineMs).catch(() => false)
}
