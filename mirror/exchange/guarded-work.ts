import type { Guard, Guarded } from '../guard.ts'

/** Runs steps beside the live traffic, some of them asynchronous. An error in a step goes no further than `failed`. */
export class GuardedWork {
  readonly #guard: Guard
  readonly #ended: () => void
  #underWay = 0

  /** `ended` is called after each asynchronous step. */
  constructor(guard: Guard, ended: () => void) {
    this.#guard = guard
    this.#ended = ended
  }

  get isUnderWay(): boolean {
    return this.#underWay > 0
  }

  /** Passes the result of `begin` to `next`: at once, or when its promise resolves. */
  run<Given>(
    what: Guarded,
    begin: () => Given | Promise<Given>,
    next: (given: Given) => void,
    failed: () => void,
  ): void {
    const attempt = (step: () => void) => {
      if (!this.#guard(what, step)) failed()
    }
    const fail = (error: unknown) =>
      attempt(() => {
        throw error
      })
    attempt(() => {
      const given = begin()
      if (given instanceof Promise) this.#later(given.then((value) => attempt(() => next(value)), fail))
      else next(given)
    })
  }

  async #later(step: Promise<void>): Promise<void> {
    this.#underWay++
    await step
    this.#underWay--
    this.#ended()
  }
}
