import type { Comparator, KnownValidation } from '../comparator.ts'
import { stateOfEvidence } from './evidence-state.ts'

/** Limit over all validations; beyond it, the least recently used answer is dropped. */
const answersMax = 64

interface SharedAnswer {
  /** State of the evidence when it was asked for. */
  state: string
  answer: Promise<unknown>
}

/**
 * Caches answers computed from up to a month of rollups, so that the pages of a whole team, which ask every few
 * seconds, share them for as long as the evidence is the same.
 */
export class SharedAnswers {
  readonly #comparator: Comparator
  readonly #answers = new Map<string, SharedAnswer>()

  constructor(comparator: Comparator) {
    this.#comparator = comparator
  }

  /** `question` is everything that the answer depends on beside the evidence; it must be JSON. */
  async of<Answer>(validation: KnownValidation, question: unknown, make: () => Promise<Answer>): Promise<Answer> {
    const state = await stateOfEvidence(this.#comparator, validation)
    const key = JSON.stringify([validation.name, question])
    const known = this.#answers.get(key)
    const shared = known?.state === state ? known : { state, answer: make() }
    this.#answers.delete(key)
    this.#answers.set(key, shared)
    if (this.#answers.size > answersMax) this.#answers.delete(this.#answers.keys().next().value!)
    return shared.answer.catch((error) => {
      // errors are not cached
      if (this.#answers.get(key) === shared) this.#answers.delete(key)
      throw error
    }) as Promise<Answer>
  }
}
