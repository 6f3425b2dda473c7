import type { Leg } from '../../../vocabulary/leg.ts'
import type { Observation } from '../../../vocabulary/observation.ts'
import type { Outcome } from '../../../vocabulary/outcome.ts'
import type { EpochMs } from '../../../vocabulary/units.ts'
import type { Answer } from '../../compare/answer.ts'
import type { Comparison } from '../../compare/compare-observation.ts'
import type { OutputComparisons } from '../../compare/compare-outputs.ts'
import { keepScores } from '../../compare/keep-scores.ts'
import { type MappingProblem, spellProblem } from '../../compare/read/mapping-problem.ts'
import type { SliceValues } from '../../metrics/contributions/slice-values.ts'
import { storableText } from '../../store/database/json.ts'
import type { ObservationRow } from '../../store/database/tables.ts'
import { dayOfId } from '../../store/observations/day-of-id.ts'
import { failedSeverity, skippedSeverity } from '../../store/observations/severity.ts'

/** An outcome without its body, as the observation's row keeps it. */
export interface OutcomeBrief {
  kind: Outcome['kind']
  status: number | null
  ttfbMs?: number
  totalMs: number
  queuedMs: number | null
  version: string | null
  /** What the mapping found instead of what it expected. */
  problem?: string
}

/** The comparison of a further output, as the observation's row keeps it under the output's name. */
export interface OutputRow {
  comparison: Comparison['kind']
  reason: string | null
  disagreement: number | null
  primary: Answer | null
  candidate: Answer | null
  /** What the mapping found instead of what it expected, and on which side. */
  problem?: string
}

interface ComparedObservation {
  observation: Observation
  comparison: Comparison
  outputs: OutputComparisons
  at: EpochMs
}

export function observationRow(
  { observation, comparison, outputs, at }: ComparedObservation,
  of: { windowId: number; slices: SliceValues; truth: unknown },
): ObservationRow {
  const named = Object.entries(outputs)
  const { primary, candidate } = keptOf(comparison)
  return {
    id: observation.id,
    window_id: of.windowId,
    validation: observation.validation,
    at: new Date(at),
    correlation_id: observation.correlationId === undefined ? null : storableText(observation.correlationId),
    live: observation.live ?? 'primary',
    comparison: comparison.kind,
    reason: comparison.kind === 'compared' ? null : comparison.reason,
    disagreement: comparison.kind === 'compared' ? comparison.disagreement : null,
    severity: severityOf(comparison),
    request_bytes: observation.request.bodyBytes ?? 0,
    primary_outcome: briefOf(observation.primary, 'primary', comparison),
    candidate_outcome: briefOf(observation.candidate, 'candidate', comparison),
    primary_answer: comparison.kind === 'skipped' ? null : primary,
    candidate_answer: comparison.kind === 'compared' ? candidate : null,
    truth: of.truth,
    day: dayOfId(observation.id),
    slices: of.slices,
    outputs: named.length === 0 ? null : Object.fromEntries(named.map(([name, own]) => [name, outputRow(own)])),
  }
}

function outputRow(comparison: Comparison): OutputRow {
  const isCompared = comparison.kind === 'compared'
  return {
    comparison: comparison.kind,
    reason: isCompared ? null : comparison.reason,
    disagreement: isCompared ? comparison.disagreement : null,
    ...keptOf(comparison),
    ...(!isCompared && comparison.problem && { problem: spelled(comparison.problem) }),
  }
}

const keptOf = (comparison: Comparison) =>
  keepScores({
    primary: comparison.primary,
    candidate: comparison.kind === 'failed' ? null : comparison.candidate,
  })

/** The two answers to compare a late label with; `undefined` where nothing was compared. */
export function answersOf(row: Pick<ObservationRow, 'primary_answer' | 'candidate_answer'>) {
  if (row.primary_answer === null) return undefined
  return { primary: row.primary_answer as Answer, candidate: row.candidate_answer as Answer | null }
}

function severityOf(comparison: Comparison): number {
  if (comparison.kind === 'compared') return comparison.disagreement
  return comparison.kind === 'failed' ? failedSeverity : skippedSeverity
}

function briefOf(outcome: Outcome, leg: Leg, comparison: Comparison): OutcomeBrief {
  const problem = comparison.kind === 'compared' ? undefined : comparison.problem
  return {
    kind: outcome.kind,
    status: outcome.kind === 'answered' ? outcome.status : null,
    ...(outcome.kind === 'answered' && outcome.ttfbMs !== undefined && { ttfbMs: outcome.ttfbMs }),
    totalMs: outcome.totalMs,
    queuedMs: outcome.queuedMs ?? null,
    version: outcome.version ?? null,
    ...(problem?.leg === leg && { problem: spelled(problem) }),
  }
}

/** Tells shapes and keys, never values. */
const spelled = (problem: MappingProblem) => storableText(spellProblem(problem))
