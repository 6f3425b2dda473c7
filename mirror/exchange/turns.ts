/** Lets at most so many tasks run at once; the others, up to `waitingMax`, begin in the order in which they came. */
export class Turns {
  readonly #atOnceMax: number
  readonly #waitingMax: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(atOnceMax: number, waitingMax = Number.POSITIVE_INFINITY) {
    this.#atOnceMax = atOnceMax
    this.#waitingMax = waitingMax
  }

  /** Undefined where too many wait. */
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
