/** How often the database is polled while mirrors wait, as another comparator on it may change the routing. */
const lookAgainMs = 250

interface Waiting {
  /** The version that the mirror has. */
  known: string
  wake: () => void
}

/**
 * Wakes waiting mirrors when the routing differs from theirs, and when the service stops. A change made by this process
 * wakes them at once; a change made elsewhere, or between a mirror's check and its wait, at the next poll.
 */
export class RoutingWatch {
  readonly #readVersion: () => Promise<string>
  readonly #waiting = new Set<Waiting>()
  #closed = false
  #timer: NodeJS.Timeout | undefined

  /** `readVersion` is one cheap query, made once for all waiting mirrors. */
  constructor(readVersion: () => Promise<string>) {
    this.#readVersion = readVersion
  }

  get closed(): boolean {
    return this.#closed
  }

  readonly changed = (): void => {
    for (const { wake } of this.#waiting) wake()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    this.changed()
  }

  async next(withinMs: number, known: string): Promise<void> {
    if (this.#closed) return
    await new Promise<void>((resolve) => {
      const waiting = { known, wake: () => done() }
      const timer = setTimeout(() => done(), withinMs)
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
        resolve()
      }
      this.#waiting.add(waiting)
      this.#timer ??= setTimeout(this.#look, lookAgainMs)
    })
  }

  readonly #look = async (): Promise<void> => {
    // while the database is unreachable, mirrors go on waiting
    const version = await this.#readVersion().catch(() => undefined)
    this.#timer = undefined
    if (this.#closed) return
    for (const { known, wake } of this.#waiting) if (version !== undefined && version !== known) wake()
    if (this.#waiting.size > 0) this.#timer = setTimeout(this.#look, lookAgainMs)
  }
}
