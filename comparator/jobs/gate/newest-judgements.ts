import type { EpochMs } from '../../../vocabulary/units.ts'
import { newestEvaluation } from '../../store/gate/gate-evaluations.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import { unsteadyVersions } from '../intake/limit-windows.ts'
import { evaluateNow, viewEvaluation } from './evaluate-gate.ts'
import { stateOfEvidence } from './evidence-state.ts'
import { type Judgement, judgementOf } from './judgement.ts'
import { notRejudged, unjudged } from './unjudged.ts'

interface KeptJudgement {
  judgement: Judgement
  /** State of the evidence that was judged. */
  state: string
  judgedAt: EpochMs
  /** When the evidence was last found unchanged. */
  confirmedAt: EpochMs
  /** The newest look when it was begun. */
  look: number
}

/**
 * The newest judgement of each gate. A page asks for its validation, gate and funnel together, every two seconds; all
 * share one judgement, which is repeated only when the evidence has changed. If that fails, the last judgement is still
 * shown, with a note, until an attempt succeeds.
 */
export class NewestJudgements {
  readonly #comparator: Comparator
  readonly #kept = new Map<string, KeptJudgement>()
  /** Each gate's newest completed look, with what to show if it failed. */
  readonly #ended = new Map<string, { look: number; failed?: Judgement }>()
  #looks = 0
  readonly #underWay = new Map<string, { state: string; judgement: Promise<Judgement> }>()

  constructor(comparator: Comparator) {
    this.#comparator = comparator
  }

  /** The judgement of the current evidence. Throws what went wrong; `shown` then says so too. */
  async of(validation: KnownValidation): Promise<Judgement> {
    const { name } = validation
    const look = ++this.#looks
    try {
      const judgement = await this.#look(validation)
      this.#end(name, { look })
      return judgement
    } catch (error) {
      const kept = this.#kept.get(name)
      const failed = kept
        ? notRejudged(kept.judgement, kept.confirmedAt, error)
        : unjudged(validation, error, this.#comparator.clock.now())
      this.#end(name, { look, failed })
      throw error
    }
  }

  /** Ignores a slow look that ends after a later one. */
  #end(name: string, ended: { look: number; failed?: Judgement }): void {
    if (ended.look > (this.#ended.get(name)?.look ?? 0)) this.#ended.set(name, ended)
  }

  /** The last judgement, however old its evidence; `undefined` before the first look. */
  shown(name: string): Judgement | undefined {
    return this.#ended.get(name)?.failed ?? this.#kept.get(name)?.judgement
  }

  hasFailed(name: string): boolean {
    return this.#ended.get(name)?.failed !== undefined
  }

  /** When the last judgement was made; `undefined` if there is none. */
  judgedAt(name: string): EpochMs | undefined {
    return this.#kept.get(name)?.judgedAt
  }

  async #look(validation: KnownValidation): Promise<Judgement> {
    const { db, policies } = this.#comparator
    const { name } = validation
    await policies.require(db, validation)
    const state = await stateOfEvidence(this.#comparator, validation)
    const kept = this.#kept.get(name)
    if (kept?.state === state) {
      const row = await newestEvaluation(db, name)
      if (row?.id === kept.judgement.evaluation.id) {
        kept.confirmedAt = this.#comparator.clock.now()
        return { ...kept.judgement, evaluation: viewEvaluation(row) }
      }
    }
    return this.#judgeOnce(validation, state)
  }

  /** Concurrent calls for the same evidence share one judgement. */
  #judgeOnce(validation: KnownValidation, state: string): Promise<Judgement> {
    const { name } = validation
    const underWay = this.#underWay.get(name)
    if (underWay?.state === state) return underWay.judgement
    const judgement = this.#judge(validation, state).finally(() => {
      if (this.#underWay.get(name)?.judgement === judgement) this.#underWay.delete(name)
    })
    this.#underWay.set(name, { state, judgement })
    return judgement
  }

  async #judge(validation: KnownValidation, state: string): Promise<Judgement> {
    const { name } = validation
    const look = this.#looks
    const judged = await evaluateNow(this.#comparator, validation)
    const at = judged.window?.last_at.getTime()
    const unsteady = at === undefined ? undefined : await unsteadyVersions(this.#comparator, validation, at)
    if (unsteady !== undefined && this.#kept.get(name)?.judgement.unsteady === undefined) {
      this.#comparator.logger.warn({ validation: name }, unsteady)
    }
    const judgement = judgementOf(validation, judged, unsteady)
    // a slow judgement of older evidence does not replace one that was begun later
    if (look < (this.#kept.get(name)?.look ?? 0)) return judgement
    const judgedAt = this.#comparator.clock.now()
    this.#kept.set(name, { judgement, state, judgedAt, confirmedAt: judgedAt, look })
    return judgement
  }
}
