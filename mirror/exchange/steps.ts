import type { Guard, Guarded } from '../guard.ts'

/** Steps beside the live traffic of which some take time; what fails in one goes no further than to `failed`. */
export class Steps {
  readonly #guard: Guard
  readonly #ended: () => void
  #underWay = 0

  /** `ended` is called behind each that took time. */
  constructor(guard: Guard, ended: () => void) {
    this.#guard = guard
    this.#ended = ended
  }

  get areUnderWay(): boolean {
    return this.#underWay > 0
  }

  /** On to `next` with what `begin` gives, at once, or when it comes where it is promised. */
  take<Given>(
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
