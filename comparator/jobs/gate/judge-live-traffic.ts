import { sum } from 'simple-statistics'
import type { LiveGate } from '../../../vocabulary/live-gate.ts'
import { type EpochMs, type Milliseconds, minuteMs } from '../../../vocabulary/units.ts'
import { judgeLive, liveLimitsOf } from '../../gate/live-gate.ts'
import { countLiveAnswers, listLiveSeconds } from '../../store/live-evidence.ts'
import type { Db, Tx } from '../../store/open-database.ts'
import type { PromotionRow } from '../../store/tables.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'

const promotedLookbackMs: Milliseconds = 15 * minuteMs

/** The live gate of a rollout looks at its present step; of what is promoted, at the last quarter of an hour. */
export function liveSince({ clock }: Comparator, { step_at }: PromotionRow): EpochMs {
  return step_at?.getTime() ?? clock.now() - promotedLookbackMs
}

/**
 * Judges what clients have got from a promotion's candidate since a moment. Where a mirror has ever reported for the
 * validation, and the primary shadows the candidate, evidence is on its way and its absence holds a step: also where that
 * mirror is silent, since what cannot be seen must not go on.
 */
export async function judgeLiveTraffic(
  comparator: Comparator,
  { name: validation, config, policy }: KnownValidation,
  since: EpochMs,
  db: Db | Tx = comparator.db,
): Promise<LiveGate> {
  const limits = liveLimitsOf(config.rollout.guard, policy.gate)
  const never = Number.MAX_VALUE
  const slow = { overP95Ms: limits.latencyP95Max ?? never, overP99Ms: limits.latencyP99Max ?? never }
  const live = await listLiveSeconds(db, { validation, since, liveOnly: true, ...slow })
  const all = await listLiveSeconds(db, { validation, since, liveOnly: false, ...slow })
  const lately = sum(live.map(({ candidate }) => candidate.n))
  const samples =
    lately >= limits.samplesMin ? lately : await countLiveAnswers(db, { validation, since }, limits.samplesMin)
  return judgeLive({
    evidence: { samples, live, all },
    limits,
    confidence: policy.confidence,
    isExpected: config.rollout.reverseShadow && comparator.arrivals.wasMirrored(validation),
    since: new Date(since).toISOString(),
  })
}
