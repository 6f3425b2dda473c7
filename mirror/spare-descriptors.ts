import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

/** The share of the process's file descriptors that copies leave to clients, their requests, delivery and disk. */
const sparedByCopies = 1 / 8
/** The share that idle clients leave to others. Copies cannot reach it. */
const sparedByIdle = 1 / 16

// a new descriptor is the lowest free one: if it is as high as these, hardly any other is free
const [copiesEnd, idleEnd] = [sparedByCopies, sparedByIdle].map((share) => descriptorsMax() * (1 - share))

/** Gives up the connection of a copy that took one of the last descriptors, as if there had been none for it. */
export function leaveSpare(socket: Socket): void {
  const look = () => {
    if (descriptorOf(socket) < copiesEnd!) return
    socket.destroy(Object.assign(new Error('nearly all file descriptors are in use'), { code: 'EMFILE' }))
  }
  // a socket has its descriptor once it begins to connect: for a Unix socket at once, else after its name is resolved
  process.nextTick(look)
  socket.on('connectionAttempt', () => process.nextTick(look))
}

/** Whether idle clients have to go, now that this one has come. */
export const tookSpare = (client: Socket): boolean => descriptorOf(client) >= idleEnd!

/** -1 if it has none. */
const descriptorOf = (socket: Socket): number =>
  (socket as unknown as { _handle: { fd?: number } | null })._handle?.fd ?? -1

/** Unlimited where the system does not say, and descriptors may have other numbers. */
function descriptorsMax(): number {
  try {
    const [, soft] = readFileSync('/proc/self/limits', 'latin1').match(/^Max open files +(\d+)/m) ?? []
    return Number(soft ?? Number.POSITIVE_INFINITY)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
