import { sum } from 'simple-statistics'
import type { LiveGate } from '../../../vocabulary/api/live-gate.ts'
import { type EpochMs, type Milliseconds, minuteMs } from '../../../vocabulary/units.ts'
import { judgeLive, liveLimitsOf } from '../../gate/live-gate.ts'
import type { Db, Tx } from '../../store/database/open-database.ts'
import type { PromotionRow } from '../../store/database/tables.ts'
import { countLiveAnswers, listLiveSeconds } from '../../store/gate/live-evidence.ts'
import { futureMax } from '../clock-skew.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'

const promotedLookbackMs: Milliseconds = 15 * minuteMs

/** Start of the live gate's evidence: of a rollout its current step, of a promoted candidate the last 15 minutes. */
export function liveSince({ clock }: Comparator, { step_at }: PromotionRow): EpochMs {
  return step_at?.getTime() ?? clock.now() - promotedLookbackMs
}

/**
 * Judges what clients have got from a promotion's candidate since `since`, during its rollout or after. Where reverse
 * shadowing is on and a mirror has ever reported for the validation, evidence is expected, and without it a step is
 * held. A mirror that went silent still counts: a rollout must not go on unseen.
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
  // what a clock that was set back has dated ahead would hide the newest answers
  const until = comparator.clock.now() + futureMax
  const scope = { validation, since, until }
  const live = await listLiveSeconds(db, { ...scope, liveOnly: true, ...slow })
  const all = await listLiveSeconds(db, { ...scope, liveOnly: false, ...slow })
  const lately = sum(live.map(({ candidate }) => candidate.n))
  const samples = lately >= limits.samplesMin ? lately : await countLiveAnswers(db, scope, limits.samplesMin)
  return judgeLive({
    evidence: { samples, live, all },
    limits,
    confidence: policy.confidence,
    isExpected: config.rollout.reverseShadow && comparator.arrivals.wasMirrored(validation),
    since: new Date(since).toISOString(),
  })
}
