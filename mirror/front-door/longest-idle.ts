import type { Milliseconds } from '../../vocabulary/units.ts'
import type { ClientConnection } from '../wire/client-connection.ts'

/** While no client is idle, they are not searched again sooner. */
const searchAgainMs: Milliseconds = 100

/** Finds the client that has been idle the longest. One search, which looks at all of them, serves for many. */
export class LongestIdle {
  readonly #connections: Iterable<ClientConnection>
  /** Those that were idle at the last search, the longest last. */
  #found: ClientConnection[] = []
  #searchedAt: Milliseconds = Number.NEGATIVE_INFINITY

  constructor(connections: Iterable<ClientConnection>) {
    this.#connections = connections
  }

  take(): ClientConnection | undefined {
    return this.#next() ?? (performance.now() - this.#searchedAt < searchAgainMs ? undefined : this.#search())
  }

  #search(): ClientConnection | undefined {
    this.#found = [...this.#connections].filter(({ isWaiting }) => isWaiting).sort((a, b) => b.usedAt - a.usedAt)
    this.#searchedAt = performance.now()
    return this.#next()
  }

  #next(): ClientConnection | undefined {
    for (let next = this.#found.pop(); next; next = this.#found.pop()) {
      const isUnused = next.usedAt <= this.#searchedAt
      if (isUnused && next.isWaiting) return next
    }
    return undefined
  }
}
