import type { LiveGate } from '../../../vocabulary/api/live-gate.ts'
import type { EpochMs } from '../../../vocabulary/units.ts'
import { decideRollout } from '../../promotion/rollout.ts'
import { changesSinceApproval } from '../../promotion/subject.ts'
import type { Db, Tx } from '../../store/database/open-database.ts'
import type { PromotionRow } from '../../store/database/tables.ts'
import { findEvaluation } from '../../store/gate/gate-evaluations.ts'
import { findPromotion, promotionsInState, updatePromotion } from '../../store/promotion/promotions.ts'
import { findValidation } from '../../store/promotion/validations.ts'
import { futureMax } from '../clock-skew.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import { evaluateNow, viewEvaluation } from '../gate/evaluate-gate.ts'
import { judgeLiveTraffic } from '../gate/judge-live-traffic.ts'
import { system } from './actor.ts'
import { changePromotion } from './change-promotion.ts'
import { completePromotion, endPromotion, startStep, stepOf } from './move-traffic.ts'

/** Limited, so that they leave database connections to others. */
const atOnceMax = 4

/** Moves every rollout as far as its gates and step duration allow. Safe to run concurrently, any number of times. */
export async function advanceRollouts(comparator: Comparator): Promise<void> {
  const waiting = (await promotionsInState(comparator.db, 'rollingOut')).values()
  const advanceNext = async () => {
    for (const promotion of waiting) await advanceRollout(comparator, promotion)
  }
  await Promise.all(Array.from({ length: atOnceMax }, advanceNext))
}

async function advanceRollout(comparator: Comparator, { id, validation: name }: PromotionRow): Promise<void> {
  const validation = comparator.validations.get(name)
  if (!validation) return // no longer configured: the traffic stays where it is until somebody acts
  try {
    // first without the lock, which would keep the intake waiting while a month is judged: most looks change nothing
    if (!(await dueOf(comparator, comparator.db, validation, id))) return
    await changePromotion(comparator.db, name, async (tx) => {
      const change = await dueOf(comparator, tx, validation, id)
      await change?.(tx)
    })
  } catch (error) {
    // one that cannot be judged must not keep others from being rolled back
    comparator.logger.error({ err: error, validation: name, promotion: id }, 'a rollout could not be judged')
  }
}

type Change = (tx: Tx) => Promise<void>

/** The change of a rollout that is due now; `undefined` if none is. To be made in the transaction that it was found in. */
async function dueOf(
  comparator: Comparator,
  db: Db | Tx,
  validation: KnownValidation,
  id: string,
): Promise<Change | undefined> {
  const promotion = await findPromotion(db, id)
  if (promotion?.state !== 'rollingOut') return undefined // changed meanwhile
  if (!(await comparator.policies.isInForce(db, validation))) return undefined // a comparator with the policy in force judges it
  const now = comparator.clock.now()
  const stepAt = promotion.step_at!.getTime()
  // the clock was set back: until it caught up, no answer would belong to the step, and no harm would end it
  if (stepAt > now + futureMax) return (tx) => restartStep(comparator, tx, promotion, now)
  const live = await judgeLiveTraffic(comparator, validation, stepAt, db)
  const rollBack = (reason: string, details: Record<string, unknown>) => (tx: Tx) => {
    const told = { comment: reason, ...details, live: briefOf(live) }
    return endPromotion(comparator, tx, promotion, { action: 'rollback', actor: system, details: told })
  }
  // first, as the window's gate reads up to a month: harm to clients must end a rollout even if that gate cannot be
  // judged
  if (live.verdict === 'fail') return rollBack(live.reason, {})
  const { evaluation: gate } = await evaluateNow(comparator, validation, db)
  const { live_percent: livePercent } = await findValidation(db, validation.name)
  const approved = await findEvaluation(db, promotion.gate_id)
  const decision = decideRollout({
    rollout: validation.config.rollout,
    livePercent,
    stepAt,
    gate,
    live,
    changed: changesSinceApproval(viewEvaluation(approved!), gate),
    override: promotion.override,
    now,
  })
  const details = { gate: gate.id, live: briefOf(live) }
  switch (decision.kind) {
    case 'hold':
      return undefined
    case 'advance':
      return (tx) =>
        startStep(comparator, tx, promotion, { ...stepOf(validation, decision.step), actor: system, details })
    case 'rollBack':
      return rollBack(decision.reason, { gate: gate.id })
    case 'complete':
      return (tx) => completePromotion(comparator, tx, promotion, { livePercent, ...details })
  }
}

async function restartStep({ logger }: Comparator, tx: Tx, { id, validation, step_at }: PromotionRow, now: EpochMs) {
  logger.warn({ validation, stepAt: step_at }, 'a step began in the future')
  await updatePromotion(tx, id, { step_at: new Date(now) })
}

const briefOf = ({ verdict, reason, samples }: LiveGate) => ({ verdict, reason, samples })
