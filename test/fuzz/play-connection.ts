import { connect } from 'node:net'
import { setTimeout as pause, setImmediate as tick } from 'node:timers/promises'
import type { ClientConnection } from './random-connection.ts'
import { readMessage } from './read-message.ts'

export interface Played {
  received: Buffer
  sentBytes: number
  /** Whether the mirror closed its side, or the client closed the connection. */
  end: 'closedByMirror' | 'closedByClient'
  isReset: boolean
  /** What never arrived, if anything did not. */
  hung: string | undefined
}

/** Longer than all timeouts of a round, even on a busy machine. */
const patienceMs = 10_000
/** A busy machine must not look like a hanging mirror: of a longer pause between two checks, only this much counts. */
const lookEveryMs = 10
const pauseMaxMs = 4 * lookEveryMs
/** A client whose request may be invalid leaves after this long without a byte. */
const quietMs = 40

/** Sends a connection's bytes as planned, and reads until it is over. */
export function playConnection(port: number, plan: ClientConnection): Promise<Played> {
  return new Promise((resolve) => {
    const { leaving, expected } = plan
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    const chunks: Buffer[] = []
    const played: Played = {
      received: Buffer.alloc(0),
      sentBytes: 0,
      end: 'closedByClient',
      isReset: false,
      hung: undefined,
    }
    let receivedBytes = 0
    let hasLeft = false
    let isEnded = false
    let lastByteAt = 0
    let wake = () => {}

    const leave = (how: 'end' | 'destroy' | 'reset') => {
      hasLeft = true
      if (how === 'end') socket.end()
      else if (how === 'destroy') socket.destroy()
      else socket.resetAndDestroy()
    }
    const abort = () => leave(leaving.kind === 'reset' ? 'reset' : 'destroy')
    socket.on('error', (error: NodeJS.ErrnoException) => {
      played.isReset = error.code === 'ECONNRESET' || error.code === 'EPIPE'
    })
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      receivedBytes += chunk.length
      lastByteAt = clockMs
      if ('after' in leaving && leaving.after === 'received' && receivedBytes >= leaving.bytes) abort()
      wake()
    })
    socket.on('end', () => {
      isEnded = true
      played.end = 'closedByMirror'
      socket.end()
      wake()
    })
    socket.on('close', () => {
      clearInterval(clock)
      played.received = Buffer.concat(chunks)
      resolve(played)
      wake()
    })
    let clockMs = 0
    let lookedAt = performance.now()
    const clock = setInterval(() => {
      const now = performance.now()
      clockMs += Math.min(now - lookedAt, pauseMaxMs)
      lookedAt = now
      wake()
    }, lookEveryMs)
    if (plan.deafMs > 0) {
      socket.pause()
      setTimeout(() => socket.resume(), plan.deafMs)
    }

    const isOver = () => isEnded || socket.destroyed
    const until = async (what: string, condition: () => boolean) => {
      const deadline = clockMs + patienceMs
      while (!condition() && !isOver()) {
        if (clockMs > deadline) {
          played.hung = `${what}, after ${answered(chunks)}`
          socket.destroy()
          return
        }
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
    const answered = responseCounter(expected.map(({ message }) => message.start[0]))
    const hasAnswered = (count: number) => answered(chunks) >= count
    const sure = expected.filter(({ isSure }) => isSure)
    const isDoubtful = plan.refused !== undefined || sure.length < expected.length

    const send = async () => {
      const abortAt = 'after' in leaving && leaving.after === 'sent' ? leaving.bytes : Number.POSITIVE_INFINITY
      const turns = plan.inTurn ? sure.map(({ end }) => end) : []
      const stops = [...new Set([...plan.cuts, ...turns, plan.bytes.length, abortAt])].filter(
        (at) => at <= plan.bytes.length,
      )
      for (const stop of stops.sort((a, b) => a - b)) {
        if (isOver()) return
        if (stop > played.sentBytes) socket.write(plan.bytes.subarray(played.sentBytes, stop))
        played.sentBytes = stop
        if (stop === abortAt) {
          await tick()
          abort()
          return
        }
        const turn = turns.indexOf(stop)
        if (turn >= 0) await until(`response ${turn + 1}`, () => hasAnswered(turn + 1))
        else await tick()
      }
      if (leaving.kind === 'halfClosed') leave('end')
      await until(`${sure.length} responses`, () => hasAnswered(sure.length))
      const isQuiet = () => clockMs - lastByteAt > quietMs
      lastByteAt = clockMs
      if (isDoubtful) await until('quiet', isQuiet)
      if (!hasLeft && !isOver()) leave('end')
      await until('the end of the connection', () => false)
      await pause(0)
    }
    send()
  })
}

/** Counts the whole responses received so far, reading each only once. */
function responseCounter(methods: readonly string[]): (chunks: Buffer[]) => number {
  let at = 0
  let count = 0
  let length = 0
  return (chunks) => {
    const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    if (total === length) return count
    length = total
    if (chunks.length > 1) chunks.splice(0, chunks.length, Buffer.concat(chunks))
    for (;;) {
      const reading = readMessage(chunks[0]!, at, { responseTo: methods[count] ?? 'GET' })
      if (reading.kind !== 'whole') return count
      at = reading.end
      if (reading.message.start[1][0] !== '1') count++
    }
  }
}
