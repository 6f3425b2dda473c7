import type { Milliseconds } from '../../vocabulary/units.ts'

/** Calls `expired` once nothing was heard for `maxMs` from a side whose turn it is to speak. */
export class SilenceTimer {
  readonly #isTheirTurn: () => boolean
  readonly #expired: () => void
  readonly #timer: NodeJS.Timeout
  #restarts = 0
  #isStopped = false

  constructor(maxMs: Milliseconds, isTheirTurn: () => boolean, expired: () => void) {
    this.#isTheirTurn = isTheirTurn
    this.#expired = expired
    this.#timer = setTimeout(() => this.#look(), maxMs)
  }

  /** Restarts the timer. */
  restart(): void {
    // refreshing a cleared timer would start it again
    if (this.#isStopped) return
    this.#restarts++
    this.#timer.refresh()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  /** If this process was busy, what the other side sent may still be unread: that is read first. */
  #look(): void {
    const restarts = this.#restarts
    setImmediate(() => {
      if (this.#isStopped) return
      if (this.#restarts === restarts && this.#isTheirTurn()) this.#expired()
      else this.#timer.refresh()
    })
  }
}
