/** Runs at most `atOnceMax` tasks at once; up to `waitingMax` others wait and start in order of arrival. */
export class Turns {
  readonly #atOnceMax: number
  readonly #waitingMax: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(atOnceMax: number, waitingMax = Number.POSITIVE_INFINITY) {
    this.#atOnceMax = atOnceMax
    this.#waitingMax = waitingMax
  }

  /** Undefined if too many are waiting. */
  async take<Result>(task: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#running < this.#atOnceMax) this.#running++
    else if (this.#waiting.length >= this.#waitingMax) return undefined
    else await new Promise<void>((begin) => this.#waiting.push(begin))
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}
