import type { GateEvaluation } from '../../../vocabulary/api/gate.ts'
import type { DecidingCheck } from '../../../vocabulary/api/glance.ts'
import type { ValidationView } from '../../../vocabulary/api/validation.ts'
import type { TimeSpan } from '../../../vocabulary/units.ts'
import { evidenceOf } from '../../metrics/evidence/evidence.ts'
import { coverageOf, type Exchanges, skippedOf } from '../../metrics/evidence/exchanges.ts'
import { failedMeasurePrefix } from '../../metrics/measures.ts'
import type { WindowRow } from '../../store/database/tables.ts'
import type { KnownValidation } from '../comparator.ts'
import { viewModels } from '../models.ts'
import type { JudgedGate } from './evaluate-gate.ts'
import { viewDeciding } from './view-glance.ts'

/** What the views need of a judged gate. Small enough to keep in memory; the evidence itself is megabytes. */
export interface Judgement {
  evaluation: GateEvaluation
  window: WindowRow | undefined
  /** The span judged, in whole buckets. */
  judged: TimeSpan
  exchanges: Exchanges
  /** How often each measure could not be taken. */
  failed: Record<string, number>
  deciding: DecidingCheck | null
  /** Why evidence is refused for unsteady versions; `undefined` if it is not. */
  unsteady: string | undefined
}

export function judgementOf(
  { policy }: KnownValidation,
  { evaluation, evidence, window }: JudgedGate,
  unsteady: string | undefined,
): Judgement {
  const { range, exchanges } = evidence
  const failures = [...evidenceOf(range).sums].filter(([measure]) => measure.startsWith(failedMeasurePrefix))
  return {
    evaluation,
    window,
    judged: { from: range.from, to: range.to },
    exchanges,
    failed: Object.fromEntries(failures.map(([measure, { n }]) => [measure.slice(failedMeasurePrefix.length), n])),
    deciding: viewDeciding(policy, evaluation.checks, evidence),
    unsteady,
  }
}

/** The part of a validation's view that follows from its judgement. */
export function viewJudgement({ evaluation, window, exchanges, unsteady }: Judgement) {
  return {
    verdict: evaluation.verdict,
    reason: evaluation.reason,
    window: evaluation.window,
    coverage: coverageOf(exchanges),
    exchanges: {
      seen: exchanges.compared + skippedOf(exchanges),
      compared: exchanges.compared,
      skipped: exchanges.skipped,
    },
    versions: viewModels(window),
    ...(unsteady !== undefined && { unsteadyVersions: unsteady }),
    lastObservationAt: window?.last_at.toISOString() ?? null,
  } satisfies Partial<ValidationView>
}
