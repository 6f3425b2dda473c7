import { randomUUIDv7 } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { GateEvaluation, WindowView } from '../../../vocabulary/gate.ts'
import { evaluateGate, type GateInput } from '../../gate/evaluate.ts'
import { digestOfInput, spellGateInput } from '../../gate/gate-input.ts'
import { recentFrom } from '../../gate/judge-recent.ts'
import { coverageOf } from '../../metrics/exchanges.ts'
import {
  type EvaluationRow,
  findEvaluation,
  holdEvaluation,
  insertEvaluation,
  lockEvaluations,
  newestEvaluation,
} from '../../store/gate-evaluations.ts'
import { insertGateInput } from '../../store/gate-inputs.ts'
import type { Db, Tx } from '../../store/open-database.ts'
import type { WindowRow } from '../../store/tables.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import { failure } from '../errors.ts'
import { subjectOf } from '../models.ts'
import { currentWindow, emptyEvidence, freshnessOf, type JudgedEvidence, judgedEvidence } from './read-evidence.ts'

/** A stored evaluation together with the evidence that it was made from. */
export interface JudgedGate {
  evaluation: GateEvaluation
  evidence: JudgedEvidence
  window: WindowRow | undefined
  input: GateInput
}

/**
 * Judges a validation's gate now and stores the evaluation as a fact. The same evidence gives the same evaluation,
 * id and all: a new one is written only when something changed. Where the verdict turned, its input is kept with it
 * and the webhooks hear of it.
 */
export async function evaluateNow(
  comparator: Comparator,
  validation: KnownValidation,
  db: Db | Tx = comparator.db,
): Promise<JudgedGate> {
  const window = await currentWindow(db, validation)
  const evidence = window ? await judgedEvidence(db, validation, window) : emptyEvidence(validation.bucketMs)
  const judgedAt = comparator.clock.now()
  const freshness = freshnessOf(validation.policy, window, judgedAt)
  const input = { policy: validation.policy, ...evidence, ...(freshness && { freshness }) }
  const { verdict, reason, checks } = evaluateGate(input)
  const row: EvaluationRow = {
    id: randomUUIDv7(),
    validation: validation.name,
    window_id: window?.id ?? null,
    revision: window?.revision ?? 0,
    policy_digest: validation.digest,
    at: new Date(judgedAt),
    verdict,
    reason,
    checks,
    evidence: viewWindow(validation, window, evidence),
    input_digest: null,
  }
  const of = (stored: EvaluationRow): JudgedGate => ({ evaluation: viewEvaluation(stored), evidence, window, input })
  const last = await newestEvaluation(db, validation.name)
  if (last && sameJudgement(last, row)) return of(last)
  const store = (tx: Tx) => storeEvaluation(comparator, tx, row, input)
  return of(db.isTransaction ? await store(db as Tx) : await db.transaction().execute(store))
}

/** Two who judge at once find the same: one of them writes it, and the verdict turns once. */
async function storeEvaluation(
  comparator: Comparator,
  tx: Tx,
  judged: EvaluationRow,
  input: GateInput,
): Promise<EvaluationRow> {
  await lockEvaluations(tx, judged.validation)
  const last = await newestEvaluation(tx, judged.validation)
  if (last && sameJudgement(last, judged)) return last
  // the newest is the last that was made, also where a clock was set back or another comparator's is ahead
  const at = last && last.at >= judged.at ? new Date(last.at.getTime() + 1) : judged.at
  const row = { ...judged, at }
  await insertEvaluation(tx, row)
  const before = last?.verdict ?? 'inconclusive'
  if (before === row.verdict) return row
  const { id, validation, verdict, reason } = row
  await comparator.webhooks.tell(tx, 'verdict.changed', validation, { gate: id, before, verdict, reason })
  return { ...row, input_digest: await keepInput(tx, id, { evaluation: viewEvaluation(row), input }) }
}

/** Keeps what an evaluation was made from, so that it can be made again. Returns the digest of what is kept. */
export async function keepInput(
  tx: Tx,
  evaluationId: string,
  { evaluation, input }: Pick<JudgedGate, 'evaluation' | 'input'>,
  { forReader = false } = {},
): Promise<string> {
  const text = spellGateInput(input)
  const digest = digestOfInput(text)
  const { validation, at } = evaluation
  return insertGateInput(tx, { evaluationId, validation, at: new Date(at), input: text, digest, forReader })
}

/** Refuses what is no stored evaluation of the validation. In a transaction it stays until that ends. */
export async function requireEvaluation(db: Db | Tx, validation: string, id: string): Promise<EvaluationRow> {
  const row = db.isTransaction ? await holdEvaluation(db as Tx, id) : await findEvaluation(db, id)
  if (row?.validation !== validation) throw failure('NOT_FOUND', `no gate evaluation ${id} of ${validation}`)
  return row
}

export function viewEvaluation(row: EvaluationRow): GateEvaluation {
  const { id, validation, at, verdict, reason, checks, evidence, window_id, revision, input_digest } = row
  const inputs = { windowId: window_id, revision, digest: input_digest }
  return { id, validation, at: at.toISOString(), verdict, reason, checks, window: evidence, inputs }
}

export function viewWindow(
  { policy, digest, bucketMs }: Pick<KnownValidation, 'policy' | 'digest' | 'bucketMs'>,
  window: WindowRow | undefined,
  evidence: JudgedEvidence,
): WindowView {
  const { range, exchanges, spannedMs } = evidence
  const newest = recentFrom(policy, range)
  return {
    beganAt: window?.began_at.toISOString() ?? null,
    from: window ? new Date(window.last_at.getTime() - spannedMs).toISOString() : null,
    to: window?.last_at.toISOString() ?? null,
    recentFrom: newest === null ? null : new Date(newest).toISOString(),
    durationMs: policy.window.duration,
    spannedMs,
    bucketMs,
    buckets: range.buckets.length,
    samples: exchanges.compared,
    samplesMin: policy.window.samplesMin,
    coverage: coverageOf(exchanges),
    coverageMin: policy.window.coverageMin,
    ...subjectOf(window),
    policyDigest: digest,
    ...(policy.noiseFloor !== undefined && { noiseFloor: evidence.noiseFloor?.state ?? null }),
  }
}

function sameJudgement(a: EvaluationRow, b: EvaluationRow): boolean {
  // a noise floor that went on without moving a number of the checks changed nothing
  const judged = ({
    window_id,
    policy_digest,
    verdict,
    checks,
    evidence: { noiseFloor: _, ...evidence },
  }: EvaluationRow) => JSON.parse(JSON.stringify({ window_id, policy_digest, verdict, checks, evidence }))
  return isDeepStrictEqual(judged(a), judged(b))
}
