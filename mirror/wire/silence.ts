import type { Milliseconds } from '../../vocabulary/units.ts'

/** Runs out where nothing was heard for `maxMs` of somebody whose turn it was to speak; heard again, it begins anew. */
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

  /** It begins anew. */
  heard(): void {
    // refreshed, a cleared timer would run again
    if (this.#isOver) return
    this.#heard++
    this.#timer.refresh()
  }

  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  /** After a busy time of our own what they said is still to be read: that comes first. */
  #look(): void {
    const heard = this.#heard
    setImmediate(() => {
      if (this.#isOver) return
      if (this.#heard === heard && this.#isTheirTurn()) this.#runsOut()
      else this.#timer.refresh()
    })
  }
}
