/** Lets at most so many tasks run at once; the others begin in the order in which they came. */
export class Turns {
  readonly #atOnceMax: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(atOnceMax: number) {
    this.#atOnceMax = atOnceMax
  }

  async take<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#atOnceMax) this.#running++
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
