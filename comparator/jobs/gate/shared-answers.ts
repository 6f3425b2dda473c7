import type { Comparator, KnownValidation } from '../comparator.ts'
import { stateOfEvidence } from './evidence-state.ts'

/** Of all validations together: beyond it, the one that was asked for longest ago makes room. */
const answersMax = 64

interface SharedAnswer {
  /** Of the evidence when it was asked for. */
  state: string
  answer: Promise<unknown>
}

/**
 * Answers that are computed from a month of rollups, shared by all who ask the same of the same evidence: the pages of
 * a whole team ask every few seconds.
 */
export class SharedAnswers {
  readonly #comparator: Comparator
  readonly #answers = new Map<string, SharedAnswer>()

  constructor(comparator: Comparator) {
    this.#comparator = comparator
  }

  /** `question`: what beside the evidence the answer depends on, as JSON tells it apart. */
  async of<Answer>(validation: KnownValidation, question: unknown, make: () => Promise<Answer>): Promise<Answer> {
    const state = await stateOfEvidence(this.#comparator, validation)
    const key = JSON.stringify([validation.name, question])
    const known = this.#answers.get(key)
    const shared = known?.state === state ? known : { state, answer: make() }
    this.#answers.delete(key)
    this.#answers.set(key, shared)
    if (this.#answers.size > answersMax) this.#answers.delete(this.#answers.keys().next().value!)
    return shared.answer.catch((error) => {
      // the next one tries again
      if (this.#answers.get(key) === shared) this.#answers.delete(key)
      throw error
    }) as Promise<Answer>
  }
}
