import { type AddressInfo, createServer, type Socket } from 'node:net'
import { acceptWaiting } from '../../runtime/accept-waiting.ts'
import type { ListenAddress } from '../../runtime/config/fields.ts'
import { listen } from '../../runtime/listen.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { keepAliveProbes } from '../keep-alive-probes.ts'
import { until } from '../until.ts'

/** A worker as the port sees it. */
export interface PortWorker {
  /** Whether it serves and has no connection on the way to it. */
  readonly isFree: boolean
  give(connection: Socket): Promise<GiveResult>
}

/** `lost`: the worker died, perhaps after reading from the connection. */
export type GiveResult = 'taken' | 'notArrived' | 'lost'

export const unservedReasons = ['full', 'late', 'lost'] as const
/**
 * Why a client was dropped without an answer: too many waited, it waited too long, or its worker died as it was given.
 */
type UnservedReason = (typeof unservedReasons)[number]

/** About as many as can be given out in a second. */
const connectionsMax = 2048
/** By then a worker that died has been replaced, even after the longest backoff. */
const waitMaxMs: Milliseconds = 10_000
const lookEveryMs: Milliseconds = 1000
const drainMaxMs: Milliseconds = 1000
/** The pause for a worker that a connection did not reach: it may have no room for a while. */
const restMs: Milliseconds = 100

interface Client {
  connection: Socket
  waitsUntil: number
}

/**
 * Owns the port that workers share, and gives its connections to free workers in turn.
 *
 *     port        open ──drain──▶ draining ──▶ closed
 *
 *     connection  waiting ──give──▶ given ──▶ taken, or lost
 *                    ▲               │
 *                    └─ not arrived ─┘
 *
 * - The port is open from start to stop, whether or not a worker serves: nobody else can take it, and clients wait.
 * - A waiting connection is open here alone. A given one stays open here too until its end is known, but only the worker
 *   reads it. A taken or lost one is closed here.
 * - A worker is given one connection at a time: if it is held up, it holds up only one client.
 * - At most `connectionsMax` connections wait or are given; more are turned away. A client that waits longer than
 *   `waitMaxMs`, or until the port is closed, is cut off.
 */
export class SharedPort {
  readonly #workers: readonly PortWorker[]
  readonly #unserved: (reason: UnservedReason) => void
  // these options stay with the connection in whichever process it is
  readonly #server = createServer({ pauseOnConnect: true, noDelay: true, ...keepAliveProbes }, (connection) => {
    connection.on('error', () => {})
    this.#waiting.push({ connection, waitsUntil: performance.now() + waitMaxMs })
    this.next()
  })
  #isClosed = false
  #looking: NodeJS.Timeout | undefined
  /** In order of arrival. */
  readonly #waiting: Client[] = []
  readonly #resting = new Set<PortWorker>()
  #turn = 0

  constructor(workers: readonly PortWorker[], unserved: (reason: UnservedReason) => void) {
    this.#workers = workers
    this.#unserved = unserved
    this.#server.maxConnections = connectionsMax
    this.#server.on('drop', () => unserved('full'))
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Returns the port. Rejects if the address is taken. */
  async open(address: ListenAddress): Promise<number> {
    await listen(this.#server, address)
    this.#looking = setInterval(() => this.#cutOff((client) => client.waitsUntil <= performance.now()), lookEveryMs)
    return (this.#server.address() as AddressInfo).port
  }

  /** Must be called whenever a worker may have become free. */
  next(): void {
    while (this.#waiting.length > 0) {
      const worker = this.#nextFree()
      if (!worker) return
      void this.#give(this.#waiting.shift()!, worker)
    }
  }

  /**
   * Gives out the connections that the system has made so far, for a second or `limitMs`, whichever is less, then
   * closes.
   */
  async drain(limitMs: Milliseconds): Promise<void> {
    const maxMs = Math.min(drainMaxMs, limitMs)
    if (this.#server.listening) await acceptWaiting(this.#server, maxMs)
    this.#server.close()
    await until(() => this.#waiting.length === 0, maxMs)
    this.#isClosed = true
    clearInterval(this.#looking)
    this.#cutOff(() => true)
  }

  async #give(client: Client, worker: PortWorker): Promise<void> {
    const result = await worker.give(client.connection)
    if (result === 'notArrived' && !this.#isClosed) {
      this.#waiting.unshift(client)
      this.#rest(worker)
    } else {
      client.connection.destroy()
      if (result !== 'taken') this.#unserved('lost')
    }
    this.next()
  }

  #rest(worker: PortWorker): void {
    this.#resting.add(worker)
    setTimeout(() => {
      this.#resting.delete(worker)
      this.next()
    }, restMs)
  }

  #cutOff(isLate: (client: Client) => boolean): void {
    while (this.#waiting.length > 0 && isLate(this.#waiting[0]!)) {
      this.#waiting.shift()!.connection.destroy()
      this.#unserved('late')
    }
  }

  #nextFree(): PortWorker | undefined {
    const { length } = this.#workers
    for (let i = 0; i < length; i++) {
      const at = (this.#turn + i) % length
      const worker = this.#workers[at]!
      if (!worker.isFree || this.#resting.has(worker)) continue
      this.#turn = at + 1
      return worker
    }
    return undefined
  }
}
