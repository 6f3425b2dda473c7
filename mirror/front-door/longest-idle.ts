import type { Milliseconds } from '../../vocabulary/units.ts'
import type { ClientConnection } from '../wire/client-connection.ts'

/** Found in one search, which looks at every client: many in a row would take time from those that are served. */
const foundMax = 64
const searchAgainMs: Milliseconds = 10

/** Finds the client that has been idle the longest. */
export class LongestIdle {
  readonly #connections: Iterable<ClientConnection>
  /** Of the last search, the longest idle last. */
  #found: ClientConnection[] = []
  #searchedAt: Milliseconds = Number.NEGATIVE_INFINITY

  constructor(connections: Iterable<ClientConnection>) {
    this.#connections = connections
  }

  /** Undefined if none is idle, or if all that were found were taken just now. */
  take(): ClientConnection | undefined {
    const next = this.#next()
    if (next || performance.now() - this.#searchedAt < searchAgainMs) return next
    this.#search()
    return this.#next()
  }

  #search(): void {
    const found: ClientConnection[] = []
    for (const connection of this.#connections) {
      const isShorter = found.length === foundMax && connection.usedAt >= found[0]!.usedAt
      if (isShorter || !connection.isWaiting) continue
      const at = found.findIndex(({ usedAt }) => usedAt < connection.usedAt)
      found.splice(at < 0 ? found.length : at, 0, connection)
      if (found.length > foundMax) found.shift()
    }
    this.#found = found
    this.#searchedAt = performance.now()
  }

  #next(): ClientConnection | undefined {
    for (let next = this.#found.pop(); next; next = this.#found.pop()) {
      const isUnused = next.usedAt <= this.#searchedAt
      if (isUnused && next.isWaiting) return next
    }
    return undefined
  }
}
