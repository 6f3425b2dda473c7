/** Runs at most `concurrency` tasks at once; up to `waitingMax` others wait and start in order of arrival. */
export class Limiter {
  readonly #concurrency: number
  readonly #waitingMax: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(concurrency: number, waitingMax = Number.POSITIVE_INFINITY) {
    this.#concurrency = concurrency
    this.#waitingMax = waitingMax
  }

  /** Undefined if too many are waiting. */
  async run<Result>(task: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#running < this.#concurrency) this.#running++
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
