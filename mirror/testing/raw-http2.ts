import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export const frameTypes = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7 } as const
export const endStream = 0x1
export const endHeaders = 0x4

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

/** A connection with prior knowledge on which a test can send any frames. */
export async function rawHttp2(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.resume()
  onTestFinished(() => {
    socket.destroy()
  })
  await once(socket, 'connect')
  socket.write(preface)
  socket.write(frame(frameTypes.settings, 0, 0))
  return socket
}

/** A frame (RFC 9113, 4.1). */
export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** Each field as a literal without indexing (RFC 7541, 6.2.2), for names and values of less than 127 bytes. */
export function headerBlock(fields: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(fields.map(([name, value]) => Buffer.concat([Buffer.from([0]), text(name), text(value)])))
}

const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value, 'latin1')])
