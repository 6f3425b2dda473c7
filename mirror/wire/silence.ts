import type { Milliseconds } from '../../vocabulary/units.ts'

/** Calls `runsOut` once nothing was heard for `maxMs` from a side whose turn it is to speak. */
export class Silence {
  readonly #isTheirTurn: () => boolean
  readonly #runsOut: () => void
  readonly #timer: NodeJS.Timeout
  #heard = 0
  #isOver = false

  constructor(maxMs: Milliseconds, isTheirTurn: () => boolean, runsOut: () => void) {
    this.#isTheirTurn = isTheirTurn
    this.#runsOut = runsOut
    this.#timer = setTimeout(() => this.#look(), maxMs)
  }

  /** Restarts the timer. */
  heard(): void {
    // refreshing a cleared timer would start it again
    if (this.#isOver) return
    this.#heard++
    this.#timer.refresh()
  }

  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  /** If this process was busy, what the other side sent may still be unread: that is read first. */
  #look(): void {
    const heard = this.#heard
    setImmediate(() => {
      if (this.#isOver) return
      if (this.#heard === heard && this.#isTheirTurn()) this.#runsOut()
      else this.#timer.refresh()
    })
  }
}
