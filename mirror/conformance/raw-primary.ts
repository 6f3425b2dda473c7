import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { firstRequest } from './frame-requests.ts'

/** Pauses long enough that a reader sees the bytes before it on their own. */
export const pause = { does: 'pause' } as const
/** Waits until the request is complete. */
export const rest = { does: 'rest' } as const
export const fin = { does: 'FIN' } as const
export const rst = { does: 'RST' } as const

/** Bytes to write, as latin1, or what else to do with the connection. */
export type Part = string | typeof pause | typeof rest | typeof fin | typeof rst

export interface Reply {
  parts: readonly Part[]
  /** How much of the request must have arrived. */
  after: 'request' | 'head'
}

export const reply = (...parts: Part[]): Reply => ({ parts, after: 'request' })
export const early = (...parts: Part[]): Reply => ({ parts, after: 'head' })

export interface RawPrimary {
  url: string
  /** Every complete request, byte for byte, in order of completion. */
  requests: string[]
  connections: PrimaryConnection[]
}

interface PrimaryConnection {
  /** Everything received, and how much of it is complete requests. */
  received: string
  framed: number
  end: 'open' | 'FIN' | 'RST'
  socket: Socket
}

/** Asks after a case whether the connection is still in step; no script applies to it, and it is not recorded. */
export const probe = 'GET /probe HTTP/1.1\r\nhost: probe.example\r\n\r\n'
const probeAnswer = 'HTTP/1.1 200 OK\r\ndate: Sat, 21 Nov 2026 08:00:00 GMT\r\ncontent-length: 8\r\n\r\nin step.'

/** Shorter than `closingUnannouncedMs` in `view.ts`, which would otherwise probe before a late part has come. */
const pauseMs = 10

/**
 * A TCP server that answers the n-th request with the n-th reply, or with one chosen by its head. Ends with the test.
 */
export async function rawPrimary(replies: readonly Reply[] | ((head: string) => Reply)): Promise<RawPrimary> {
  const primary: RawPrimary = { url: '', requests: [], connections: [] }
  let begun = 0
  const replyTo = (head: string) => (typeof replies === 'function' ? replies(head) : (replies[begun++] ?? reply()))
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const connection: PrimaryConnection = { received: '', framed: 0, end: 'open', socket }
    primary.connections.push(connection)
    let current: Reply | undefined
    let playing = Promise.resolve()
    let whole = Promise.withResolvers<void>()
    const play = (parts: readonly Part[]) => {
      const { promise } = whole
      playing = playing.then(() => playParts(socket, parts, promise))
    }
    socket.on('data', (chunk) => {
      connection.received += chunk.toString('latin1')
      for (;;) {
        const request = firstRequest(connection.received, connection.framed)
        if (!request) return
        const isProbe = request.head.startsWith('GET /probe ')
        if (!current) {
          current = isProbe ? reply(probeAnswer) : replyTo(request.head)
          if (current.after === 'head') play(current.parts)
        }
        if (request.end === undefined) return
        if (!isProbe) primary.requests.push(connection.received.slice(connection.framed, request.end))
        connection.framed = request.end
        if (current.after === 'request') play(current.parts)
        whole.resolve()
        whole = Promise.withResolvers()
        current = undefined
      }
    })
    socket.on('end', () => {
      connection.end = 'FIN'
      playing = playing.then(() => void socket.end())
    })
    socket.on('error', () => {
      connection.end = 'RST'
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const { socket } of primary.connections) socket.destroy()
    server.close()
  })
  primary.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return primary
}

/** On a machine that was busy for longer than the pause, earlier bytes may still be unread when it ends. */
async function untilRead(): Promise<void> {
  await sleep(pauseMs)
  await turn()
  await turn()
}

async function playParts(socket: Socket, parts: readonly Part[], whole: Promise<void>): Promise<void> {
  for (const part of parts) {
    if (part === pause) await untilRead()
    else if (part === rest) await whole
    else if (part === fin) socket.end()
    else if (part === rst) socket.resetAndDestroy()
    else if (socket.writable) socket.write(part as string, 'latin1')
  }
}
