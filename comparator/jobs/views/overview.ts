import type { ValidationView } from '../../../vocabulary/api/validation.ts'
import type { Milliseconds } from '../../../vocabulary/units.ts'
import { windowsUnderPolicy } from '../../store/gate/windows.ts'
import { approvalsOf, newestPromotions } from '../../store/promotion/promotions.ts'
import { listValidations } from '../../store/promotion/validations.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import type { NewestJudgements } from '../gate/newest-judgements.ts'
import { sampleRates } from './sample-rates.ts'
import { viewJudged } from './view-validation.ts'

/** Time that a list may spend on new judgements. Dozens of month-long windows take longer, and nobody should wait. */
const budgetMs: Milliseconds = 150
/** If that was not enough, lists spend nothing for this long; pages ask every two seconds. */
const restMs: Milliseconds = 1000

/**
 * The list of all validations. A judgement is kept and shown until its evidence changes. Where the list's time budget
 * does not allow for all new judgements, the oldest are replaced first and `judgeAll`, which runs periodically, does
 * the rest. State, promotion, arrivals and rates are always current. A gate that cannot be judged says so, and does not
 * keep others from being shown.
 */
export class Overview {
  readonly #comparator: Comparator
  readonly #judgements: NewestJudgements
  #catchingUp: Promise<void> | undefined
  #restUntil: Milliseconds = 0

  constructor(comparator: Comparator, judgements: NewestJudgements) {
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
    // few queries whatever the number of validations: on an embedded database each waits for those under way
    const rows = new Map((await listValidations(db)).map((row) => [row.name, row]))
    const promotions = await newestPromotions(db)
    const ids = [...promotions.values()].map(({ id }) => id)
    const approvals = Map.groupBy(await approvalsOf(db, ids), ({ promotion_id }) => promotion_id)
    const views: ValidationView[] = []
    for (const { validation, judgement } of judged) {
      const { name } = validation
      const promotion = promotions.get(name)
      const approvalsOfIt = (promotion && approvals.get(promotion.id)) ?? []
      const present = { row: rows.get(name)!, promotion, approvals: approvalsOfIt, rates }
      views.push(await viewJudged(this.#comparator, validation, judgement, present))
    }
    return views
  }

  /** Judges every gate, so that changes of verdict are stored and reported even if nobody looks. */
  async judgeAll(): Promise<void> {
    const { validations, policies } = this.#comparator
    for (const validation of validations.values()) {
      // where another policy is in force, one failed look is enough to say so
      const isOver = !policies.has(validation.name) && this.#judgements.hasFailed(validation.name)
      if (!isOver) await this.#judge(validation)
    }
  }

  async #judge(validation: KnownValidation): Promise<void> {
    const { policies, logger } = this.#comparator
    const { name } = validation
    try {
      await this.#judgements.of(validation)
    } catch (error) {
      if (!policies.has(name)) return // which `policies` has logged
      logger.error({ err: error, validation: name }, 'a gate could not be judged')
    }
  }

  async #catchUp(): Promise<void> {
    const { clock } = this.#comparator
    const startedAt = clock.monotonic()
    for (const validation of await this.#outdated()) {
      const isOver = clock.monotonic() - startedAt >= budgetMs
      if (!isOver || this.#judgements.shown(validation.name) === undefined) await this.#judge(validation)
      else this.#restUntil = clock.monotonic() + restMs
    }
  }

  /** Validations with a new window or new evidence since they were judged: never judged first, then oldest. */
  async #outdated(): Promise<KnownValidation[]> {
    const { db, validations } = this.#comparator
    const all = [...validations.values()]
    const newest = new Map((await windowsUnderPolicy(db, all, 1)).map((window) => [window.validation, window]))
    const judgedAt = ({ name }: KnownValidation) => this.#judgements.judgedAt(name) ?? 0
    return all
      .filter(({ name }) => {
        // `judgeAll` tries again
        if (this.#judgements.hasFailed(name)) return false
        const kept = this.#judgements.shown(name)
        const window = newest.get(name)
        return kept === undefined || kept.window?.id !== window?.id || kept.window?.revision !== window?.revision
      })
      .sort((a, b) => judgedAt(a) - judgedAt(b))
  }
}
