import type { LookupAddress } from 'node:dns'
import { getDefaultAutoSelectFamilyAttemptTimeout, type Socket } from 'node:net'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { type Lookup, sharedLookup } from './shared-lookup.ts'

const againEveryMs: Milliseconds = 60_000
/** An attempt that Node gives up later than this has had its time only because this process was busy. */
const attemptMaxMs: Milliseconds = 1.5 * getDefaultAutoSelectFamilyAttemptTimeout()

/**
 * Addresses that let a connection attempt pass without a word, such as those of a network without a route. Node then
 * tries the next address of the name, but only half a second later, and would do so for every connection.
 */
export class SilentAddresses {
  /** When each may come first again. */
  readonly #againAt = new Map<string, Milliseconds>()

  /** Learns from a socket's attempts. */
  watch(socket: Socket): void {
    let beganAt: Milliseconds = 0
    socket.on('connectionAttempt', () => {
      beganAt = performance.now()
    })
    socket.on('connectionAttemptTimeout', (address: string) => {
      const now = performance.now()
      // the answer may have come, and nobody has looked
      if (now - beganAt > attemptMaxMs) return
      // names change their addresses
      for (const [other, at] of this.#againAt) if (at <= now) this.#againAt.delete(other)
      this.#againAt.set(address, now + againEveryMs)
    })
    socket.once('connect', () => {
      if (this.#againAt.size > 0) this.#againAt.delete(socket.remoteAddress!)
    })
  }

  /** These addresses, the silent ones last. From time to time one caller gets a silent one in its own place. */
  last(addresses: LookupAddress[]): LookupAddress[] {
    if (this.#againAt.size === 0) return addresses
    const now = performance.now()
    const [first, last]: [LookupAddress[], LookupAddress[]] = [[], []]
    for (const one of addresses) {
      const againAt = this.#againAt.get(one.address) ?? 0
      if (againAt > now) last.push(one)
      else first.push(one)
      if (againAt > 0 && againAt <= now) this.#againAt.set(one.address, now + againEveryMs)
    }
    return [...first, ...last]
  }
}

const silent = new SilentAddresses()

export const watchAttempts = (socket: Socket): void => silent.watch(socket)

/** `sharedLookup`, with addresses that were silent last. */
export const addressesOf: Lookup = (hostname, options, answer) =>
  sharedLookup(hostname, options, (error, address, family) =>
    answer(error, Array.isArray(address) ? silent.last(address) : address, family),
  )
