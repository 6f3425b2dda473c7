import type { Milliseconds } from '../../vocabulary/units.ts'

/** Counts the users of a resource, so that its end can wait for them. */
export class Holds {
  #count = 0
  #waiting: (() => void)[] = []

  /** Returns the function that releases the hold; further calls have no effect. */
  take(): () => void {
    let isHeld = true
    this.#count++
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#count--
      if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve()
    }
  }

  /** Resolves once there are no holds left, or after `deadlineMs`, with whether there are none. */
  async released(deadlineMs: Milliseconds): Promise<boolean> {
    if (this.#count === 0) return true
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    const deadline = setTimeout(resolve, deadlineMs)
    await promise
    clearTimeout(deadline)
    return this.#count === 0
  }
}
