import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

/** The share of the process's file descriptors that copies leave to clients, their requests, delivery and disk. */
const sparedByCopies = 1 / 8
/** The share that idle clients leave to others. Copies cannot reach it. */
const sparedByIdle = 1 / 16

// a new descriptor is the lowest free one: if it is as high as these, hardly any other is free
const [copiesEnd, idleEnd] = [sparedByCopies, sparedByIdle].map((share) => descriptorsMax() * (1 - share))

/** Descriptors belong to the whole process, and so do those who can make room for others. */
const roomMakers = new Set<() => void>()
let requestsOnSpare = 0

/** Gives up the connection of a copy that took one of the last descriptors, as if there had been none for it. */
export function leaveSpare(socket: Socket): void {
  whenGiven(socket, (descriptor) => {
    if (descriptor < copiesEnd!) return
    socket.destroy(Object.assign(new Error('nearly all file descriptors are in use'), { code: 'EMFILE' }))
  })
}

/**
 * Asks for room for a request's connection to its upstream, as long as any such connection holds a descriptor that idle
 * clients leave to it: the room made for one has a low number, and would seem to be plenty for the next.
 */
export function replaceSpare(socket: Socket): void {
  let isGiven = false
  whenGiven(socket, (descriptor) => {
    if (isGiven || descriptor < 0) return
    isGiven = true
    if (descriptor >= idleEnd!) {
      requestsOnSpare++
      socket.once('close', () => requestsOnSpare--)
    }
    if (requestsOnSpare > 0) for (const makeRoom of roomMakers) makeRoom()
  })
}

/** Has `makeRoom` called each time a request's connection asks for it. Returns what ends that. */
export function onRoomNeeded(makeRoom: () => void): () => void {
  roomMakers.add(makeRoom)
  return () => void roomMakers.delete(makeRoom)
}

/** Whether idle clients have to go, now that this one has come. */
export const tookSpare = (client: Socket): boolean => descriptorOf(client) >= idleEnd!

/** A socket has its descriptor once it begins to connect: for a Unix socket at once, else after its name is resolved. */
function whenGiven(socket: Socket, look: (descriptor: number) => void): void {
  const lookNow = () => look(descriptorOf(socket))
  process.nextTick(lookNow)
  socket.on('connectionAttempt', () => process.nextTick(lookNow))
}

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
