import { type AddressInfo, createServer, type Socket } from 'node:net'
import { acceptWaiting } from '../../runtime/accept-waiting.ts'
import type { ListenAddress } from '../../runtime/config/fields.ts'
import { listen } from '../../runtime/listen.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { keepAliveProbes } from '../keep-alive-probes.ts'
import { until } from '../until.ts'

/** One that connections are given to. */
export interface Taker {
  /** It serves, and nothing that it was given is under way. */
  readonly isFree: boolean
  give(connection: Socket): Promise<Given>
}

/** `lost`: with its taker, which may have read of it. */
export type Given = 'taken' | 'notArrived' | 'lost'

export const unservedReasons = ['full', 'late', 'lost'] as const
/** Why a client was let go without an answer: too many waited, it waited too long, or its taker died as it was given. */
export type UnservedReason = (typeof unservedReasons)[number]

/** About what can be given out in a second. */
const connectionsMax = 2048
/** A worker that died is back by then, also after the longest pause. */
const waitMaxMs: Milliseconds = 10_000
const lookEveryMs: Milliseconds = 1000
const drainMaxMs: Milliseconds = 1000
/** For one to which a connection did not come: it may have no room for a while. */
const restMs: Milliseconds = 100

interface Client {
  connection: Socket
  waitsUntil: number
}

/**
 * Has the port, and gives its connections to those that are free, in turn.
 *
 *     port        open ──drain──▶ draining ──▶ closed
 *
 *     connection  waiting ──give──▶ given ──▶ taken, or lost
 *                    ▲               │
 *                    └─ not arrived ─┘
 *
 * - The port is open from the start to the stop, whether anybody serves or not: it is nobody else's, and clients wait.
 * - One that waits is open here alone. One that is given is open here too until its end is known, and read by the taker
 *   alone. What is taken or lost is closed here.
 * - A taker is given one at a time: one that is held up keeps no more than one client waiting.
 * - At most `connectionsMax` wait or are given, beyond that they are turned away. Who waits longer than `waitMaxMs`, or
 *   still when the port is closed, is cut off.
 */
export class HandOut {
  readonly #takers: readonly Taker[]
  readonly #unserved: (reason: UnservedReason) => void
  // these hold of the connection, whoever has it
  readonly #server = createServer({ pauseOnConnect: true, noDelay: true, ...keepAliveProbes }, (connection) => {
    connection.on('error', () => {})
    this.#waiting.push({ connection, waitsUntil: performance.now() + waitMaxMs })
    this.next()
  })
  #isClosed = false
  #looking: NodeJS.Timeout | undefined
  /** Who came first is first. */
  readonly #waiting: Client[] = []
  readonly #resting = new Set<Taker>()
  #turn = 0

  constructor(takers: readonly Taker[], unserved: (reason: UnservedReason) => void) {
    this.#takers = takers
    this.#unserved = unserved
    this.#server.maxConnections = connectionsMax
    this.#server.on('drop', () => unserved('full'))
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** The port that it then has. Rejects where the address is taken. */
  async open(address: ListenAddress): Promise<number> {
    await listen(this.#server, address)
    this.#looking = setInterval(() => this.#cutOff((client) => client.waitsUntil <= performance.now()), lookEveryMs)
    return (this.#server.address() as AddressInfo).port
  }

  /** To be called whenever one may be free. */
  next(): void {
    while (this.#waiting.length > 0) {
      const taker = this.#nextFree()
      if (!taker) return
      void this.#give(this.#waiting.shift()!, taker)
    }
  }

  /** Gives out what the system has connected by now, for `limitMs` and a second at most, and closes. */
  async drain(limitMs: Milliseconds): Promise<void> {
    const maxMs = Math.min(drainMaxMs, limitMs)
    if (this.#server.listening) await acceptWaiting(this.#server, maxMs)
    this.#server.close()
    await until(() => this.#waiting.length === 0, maxMs)
    this.#isClosed = true
    clearInterval(this.#looking)
    this.#cutOff(() => true)
  }

  async #give(client: Client, taker: Taker): Promise<void> {
    const given = await taker.give(client.connection)
    if (given === 'notArrived' && !this.#isClosed) {
      this.#waiting.unshift(client)
      this.#rest(taker)
    } else {
      client.connection.destroy()
      if (given !== 'taken') this.#unserved('lost')
    }
    this.next()
  }

  #rest(taker: Taker): void {
    this.#resting.add(taker)
    setTimeout(() => {
      this.#resting.delete(taker)
      this.next()
    }, restMs)
  }

  #cutOff(isLate: (client: Client) => boolean): void {
    while (this.#waiting.length > 0 && isLate(this.#waiting[0]!)) {
      this.#waiting.shift()!.connection.destroy()
      this.#unserved('late')
    }
  }

  #nextFree(): Taker | undefined {
    const { length } = this.#takers
    for (let i = 0; i < length; i++) {
      const at = (this.#turn + i) % length
      const taker = this.#takers[at]!
      if (!taker.isFree || this.#resting.has(taker)) continue
      this.#turn = at + 1
      return taker
    }
    return undefined
  }
}
