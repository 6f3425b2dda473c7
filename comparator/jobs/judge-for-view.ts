import type { ValidationView } from '../../vocabulary/api.ts'
import type { DecidingCheck } from '../../vocabulary/glance.ts'
import { coverageOf } from '../metrics/exchanges.ts'
import type { WindowRow } from '../store/tables.ts'
import type { Comparator, KnownValidation } from './comparator.ts'
import { evaluateNow } from './evaluate-gate.ts'
import { viewDeciding } from './view-glance.ts'

/** What of a validation's view follows from judging its evidence. */
export interface Judgement {
  view: Pick<
    ValidationView,
    'verdict' | 'reason' | 'window' | 'coverage' | 'exchanges' | 'versions' | 'lastObservationAt'
  >
  deciding: DecidingCheck | null
  window: WindowRow | undefined
}

export async function judgeForView(comparator: Comparator, validation: KnownValidation): Promise<Judgement> {
  const { evaluation, evidence, window } = await evaluateNow(comparator, validation)
  const { exchanges } = evidence
  const skipped = Object.values(exchanges.skipped).reduce((sum, count) => sum + count, 0)
  return {
    view: {
      verdict: evaluation.verdict,
      reason: evaluation.reason,
      window: evaluation.window,
      coverage: coverageOf(exchanges),
      exchanges: { seen: exchanges.compared + skipped, compared: exchanges.compared, skipped: exchanges.skipped },
      versions: {
        primary: window?.primary_version || null,
        candidate: window?.candidate_version || null,
        candidateDigest: window?.candidate_digest || null,
      },
      lastObservationAt: window?.last_at.toISOString() ?? null,
    },
    deciding: viewDeciding(validation.policy, evaluation.checks, evidence),
    window,
  }
}
