import type { GateCheck } from '../../vocabulary/policy.ts'
import type { Estimator } from '../metrics/estimates/estimator.ts'
import type { Judged } from './judge.ts'
import { judgeKnown } from './judge-known.ts'
import { spellCount, spellExactPercent, spellPercent } from './spell-number.ts'

/** Judges the share of exchanges with a label: the few that are labelled first may not be typical. */
export function judgeLabelCoverage({ metric, min = 0, reportOnly }: GateCheck, estimator: Estimator): Judged {
  const { estimate: value, n } = estimator.estimate(metric)
  const limit = { min }
  const needed = spellExactPercent(min)
  const known = { metric, value, limit, n, reportOnly }
  if (value === null) {
    const reason = 'No exchange was compared'
    return judgeKnown({ ...known, reason, text: `${reason}; limit ≥ ${needed}` })
  }
  const share = spellPercent(value, limit)
  return judgeKnown({
    ...known,
    reason: `${share} of exchanges have a label (${needed} needed)`,
    text: `${share} of ${spellCount(n)} exchanges have a label; limit ≥ ${needed}`,
  })
}
