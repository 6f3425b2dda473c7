import type { Milliseconds } from '../../../vocabulary/units.ts'
import type { ValidationView } from '../../../vocabulary/validation.ts'
import { newestPromotions } from '../../store/promotions.ts'
import { listValidations } from '../../store/validations.ts'
import { windowsUnderPolicy } from '../../store/windows.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import type { Judgements } from '../gate/judgements.ts'
import { sampleRates } from './sample-rates.ts'
import { viewJudged } from './view-validation.ts'

/** What a list may spend on judging anew; dozens of month-long windows take longer, and nobody should wait for them. */
const budgetMs: Milliseconds = 150
/** When that was not enough, the next list spends nothing for so long: pages ask every two seconds. */
const restMs: Milliseconds = 1000

/**
 * Every validation, as often as pages ask for them. Each judgement is kept and shown again until its evidence has moved
 * on; where more has moved on than a list's budget, the oldest judgements are made anew first, and `judgeAll`, which
 * runs all the time, does the rest. State, promotion, arrivals and rates are always those of now. A gate that cannot be
 * judged, or not anew, says so, and keeps no other from being shown.
 */
export class Overview {
  readonly #comparator: Comparator
  readonly #judgements: Judgements
  #catchingUp: Promise<void> | undefined
  #restUntil: Milliseconds = 0

  constructor(comparator: Comparator, judgements: Judgements) {
    this.#comparator = comparator
    this.#judgements = judgements
  }

  async list(): Promise<ValidationView[]> {
    const { db, clock, validations } = this.#comparator
    if (clock.monotonic() >= this.#restUntil) {
      this.#catchingUp ??= this.#catchUp().finally(() => {
        this.#catchingUp = undefined
      })
      await this.#catchingUp
    }
    const judged = [...validations.values()].map((validation) => ({
      validation,
      judgement: this.#judgements.shown(validation.name)!,
    }))
    const rates = await sampleRates(
      this.#comparator,
      judged.flatMap(({ judgement }) => judgement.window ?? []),
    )
    // few questions, whatever the number of validations: on an embedded database each waits for what is under way
    const rows = new Map((await listValidations(db)).map((row) => [row.name, row]))
    const promotions = await newestPromotions(db)
    const views: ValidationView[] = []
    for (const { validation, judgement } of judged) {
      const { name } = validation
      const present = { row: rows.get(name)!, promotion: promotions.get(name), rates }
      views.push(await viewJudged(this.#comparator, validation, judgement, present))
    }
    return views
  }

  /** Every gate, so that a verdict that turns is noted, and told, whether or not anyone looks. */
  async judgeAll(): Promise<void> {
    for (const validation of this.#comparator.validations.values()) await this.#judge(validation)
  }

  async #judge(validation: KnownValidation): Promise<void> {
    try {
      await this.#judgements.of(validation)
    } catch (error) {
      this.#comparator.logger.error({ err: error, validation: validation.name }, 'a gate could not be judged')
    }
  }

  async #catchUp(): Promise<void> {
    const { clock } = this.#comparator
    const startedAt = clock.monotonic()
    for (const validation of await this.#movedOn()) {
      const isOver = clock.monotonic() - startedAt >= budgetMs
      if (!isOver || this.#judgements.shown(validation.name) === undefined) await this.#judge(validation)
      else this.#restUntil = clock.monotonic() + restMs
    }
  }

  /** Whose window has more evidence than was judged, or is another one; those never judged first, then the oldest. */
  async #movedOn(): Promise<KnownValidation[]> {
    const { db, validations } = this.#comparator
    const all = [...validations.values()]
    const newest = new Map((await windowsUnderPolicy(db, all, 1)).map((window) => [window.validation, window]))
    const judgedAt = ({ name }: KnownValidation) => this.#judgements.judgedAt(name) ?? 0
    return all
      .filter(({ name }) => {
        // `judgeAll` tries it again
        if (this.#judgements.hasFailed(name)) return false
        const kept = this.#judgements.shown(name)
        const window = newest.get(name)
        return kept === undefined || kept.window?.id !== window?.id || kept.window?.revision !== window?.revision
      })
      .sort((a, b) => judgedAt(a) - judgedAt(b))
  }
}
