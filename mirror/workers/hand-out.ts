import { createServer, type Socket } from 'node:net'
import { acceptWaiting } from '../../runtime/accept-waiting.ts'
import type { ListenAddress } from '../../runtime/config/fields.ts'
import { listen } from '../../runtime/listen.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { keepAliveProbes } from '../keep-alive-probes.ts'
import { until } from '../until.ts'

/** One that connections are given to. */
export interface Taker {
  /** It serves, and has taken what it was given before. */
  readonly isFree: boolean
  give(connection: Socket): void
}

const drainMaxMs: Milliseconds = 1000

/**
 * Has the port, and gives its connections to those that are free, in turn and one at a time: one that is held up keeps no
 * more than one client waiting. What nobody is free for waits here, in its order.
 */
export class HandOut {
  readonly #takers: readonly Taker[]
  // these hold of the connection, whoever has it
  readonly #server = createServer({ pauseOnConnect: true, noDelay: true, ...keepAliveProbes }, (connection) => {
    connection.on('error', () => {})
    this.#waiting.push(connection)
    this.next()
  })
  readonly #waiting: Socket[] = []
  #opening: Promise<unknown> | undefined
  #turn = 0

  constructor(takers: readonly Taker[]) {
    this.#takers = takers
  }

  /** Rejects where the address is taken. */
  async open(address: ListenAddress): Promise<void> {
    this.#opening ??= listen(this.#server, address)
    await this.#opening
  }

  /** To be called whenever one may be free. */
  next(): void {
    for (let taker = this.#free; taker && this.#waiting.length > 0; taker = this.#free) {
      taker.give(this.#waiting.shift()!)
    }
  }

  /** Gives out what the system has connected by now, for `limitMs` and a second at most, and closes. */
  async drain(limitMs: Milliseconds): Promise<void> {
    const maxMs = Math.min(drainMaxMs, limitMs)
    if (this.#server.listening) await acceptWaiting(this.#server, maxMs)
    this.#server.close()
    await until(() => this.#waiting.length === 0, maxMs)
    this.close()
  }

  /** At once: clients are refused, and those that wait are cut off. */
  close(): void {
    this.#opening = undefined
    this.#server.close()
    for (const connection of this.#waiting.splice(0)) connection.destroy()
  }

  get #free(): Taker | undefined {
    const { length } = this.#takers
    for (let i = 0; i < length; i++) {
      const at = (this.#turn + i) % length
      const taker = this.#takers[at]!
      if (!taker.isFree) continue
      this.#turn = at + 1
      return taker
    }
    return undefined
  }
}
