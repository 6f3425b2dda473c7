import type { Socket } from 'node:net'
import type { Milliseconds } from '../../vocabulary/units.ts'

/** How a client with prior knowledge of HTTP/2 begins (RFC 9113, 3.4). */
const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

export const beginsWithPreface = (bytes: Buffer) => bytes.toString('latin1', 0, preface.length) === preface

/** Reads just enough to tell whether it is the preface. A client that stays silent for `silenceMaxMs` is dropped. */
export function readFirstBytes(socket: Socket, silenceMaxMs: Milliseconds, done: (read: Buffer) => void): void {
  let read: Buffer = Buffer.alloc(0)
  const leave = () => socket.destroy()
  const take = (bytes: Buffer) => {
    read = Buffer.concat([read, bytes])
    const isOpen = read.length < preface.length && preface.startsWith(read.toString('latin1'))
    if (isOpen) return
    socket.setTimeout(0)
    for (const event of leaveOn) socket.off(event, leave)
    socket.off('data', take)
    done(read)
  }
  socket.setTimeout(silenceMaxMs)
  for (const event of leaveOn) socket.on(event, leave)
  socket.on('data', take)
}

const leaveOn = ['end', 'error', 'timeout'] as const
