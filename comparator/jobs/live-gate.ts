import type { LiveGate } from '../../vocabulary/live-gate.ts'
import type { EpochMs } from '../../vocabulary/units.ts'
import { judgeLive, liveLimitsOf } from '../gate/live-gate.ts'
import { countLiveAnswers } from '../store/live-evidence.ts'
import type { Db, Tx } from '../store/open-database.ts'
import type { PromotionRow } from '../store/tables.ts'
import type { Comparator, KnownValidation } from './comparator.ts'

/**
 * Judges what clients have got from a promotion's candidate since a moment. Where a mirror has reported for the
 * validation since it was asked for, and the primary shadows the candidate, evidence is on its way and its absence holds
 * a step: also where that mirror is silent, since what cannot be seen must not go on.
 */
export async function judgeLiveTraffic(
  comparator: Comparator,
  { name, config, policy }: KnownValidation,
  { requested_at }: Pick<PromotionRow, 'requested_at'>,
  since: EpochMs,
  db: Db | Tx = comparator.db,
): Promise<LiveGate> {
  const limits = liveLimitsOf(config.rollout.guard, policy.gate)
  const never = Number.MAX_VALUE
  const count = (liveOnly: boolean) =>
    countLiveAnswers(db, {
      validation: name,
      since,
      liveOnly,
      overP95Ms: limits.latencyP95Max ?? never,
      overP99Ms: limits.latencyP99Max ?? never,
    })
  const evidence = { live: await count(true), all: await count(false) }
  const isExpected = config.rollout.reverseShadow && comparator.arrivals.wasMirroredSince(name, requested_at.getTime())
  return judgeLive({
    evidence,
    limits,
    confidence: policy.confidence,
    isExpected,
    since: new Date(since).toISOString(),
  })
}
