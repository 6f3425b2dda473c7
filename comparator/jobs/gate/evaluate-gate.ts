import { randomUUIDv7 } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { GateEvaluation, WindowView } from '../../../vocabulary/api/gate.ts'
import { evaluateGate, type GateInput } from '../../gate/evaluate.ts'
import { digestOfInput, spellGateInput } from '../../gate/gate-input.ts'
import { recentFrom } from '../../gate/judge-recent.ts'
import { coverageOf } from '../../metrics/evidence/exchanges.ts'
import { inTransaction } from '../../store/database/in-transaction.ts'
import type { Db, Tx } from '../../store/database/open-database.ts'
import type { WindowRow } from '../../store/database/tables.ts'
import {
  type EvaluationRow,
  findEvaluation,
  holdEvaluation,
  insertEvaluation,
  lockEvaluations,
  newestEvaluation,
} from '../../store/gate/gate-evaluations.ts'
import { insertGateInput } from '../../store/gate/gate-inputs.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import { failure } from '../errors.ts'
import { subjectOf } from '../models.ts'
import {
  currentWindow,
  evidenceBeforeWindow,
  gateInputOf,
  type JudgedEvidence,
  judgedEvidence,
  judgedSpan,
} from './read-evidence.ts'

/** A stored evaluation with the evidence and the input that it was made from. */
export interface JudgedGate {
  evaluation: GateEvaluation
  evidence: JudgedEvidence
  window: WindowRow | undefined
  input: GateInput
}

/**
 * Judges a validation's gate now and stores the evaluation. A new one is written only if the judgement changed; else
 * the newest stored one is returned, with its id. If the verdict changed, the input is kept too and the webhooks are
 * notified. Throws `UNAVAILABLE` where another policy is in force.
 */
export async function evaluateNow(
  comparator: Comparator,
  validation: KnownValidation,
  db: Db | Tx = comparator.db,
): Promise<JudgedGate> {
  await comparator.policies.require(db, validation)
  const window = await currentWindow(db, validation)
  const evidence = window
    ? await judgedEvidence(db, validation, window)
    : await evidenceBeforeWindow(db, validation, comparator.clock.now())
  const judgedAt = comparator.clock.now()
  const input = gateInputOf(validation.policy, window, evidence, judgedAt)
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
  return of(db.isTransaction ? await store(db as Tx) : await inTransaction(db, store))
}

/** Under a lock, so that of two concurrent judgements only one is written and a change of verdict is reported once. */
async function storeEvaluation(
  comparator: Comparator,
  tx: Tx,
  judged: EvaluationRow,
  input: GateInput,
): Promise<EvaluationRow> {
  await lockEvaluations(tx, judged.validation)
  const last = await newestEvaluation(tx, judged.validation)
  if (last && sameJudgement(last, judged)) return last
  // keeps times in the order of writing, even if a clock was set back or another comparator's is ahead
  const at = last && last.at >= judged.at ? new Date(last.at.getTime() + 1) : judged.at
  const row = { ...judged, at }
  await insertEvaluation(tx, row)
  const before = last?.verdict ?? 'inconclusive'
  if (before === row.verdict) return row
  const { id, validation, verdict, reason } = row
  await comparator.webhooks.notify(tx, 'verdict.changed', validation, { gate: id, before, verdict, reason })
  return { ...row, input_digest: await keepInput(tx, { evaluation: viewEvaluation(row), input }) }
}

/** Keeps an evaluation's input, so that it can be replayed. Returns the digest of the kept input. */
export async function keepInput(
  tx: Tx,
  { evaluation, input }: Pick<JudgedGate, 'evaluation' | 'input'>,
  { forReader = false } = {},
): Promise<string> {
  const text = spellGateInput(input)
  const digest = digestOfInput(text)
  const { id: evaluationId, validation, at } = evaluation
  return insertGateInput(tx, { evaluationId, validation, at: new Date(at), input: text, digest, forReader })
}

/** A stored evaluation of the validation; throws `NOT_FOUND`. In a transaction it is locked against deletion. */
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
    from: window ? new Date(judgedSpan(policy, window).from).toISOString() : null,
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
  // the noise floor's state does not count: if it moved without changing a check's numbers, nothing changed
  const judged = ({
    window_id,
    policy_digest,
    verdict,
    checks,
    evidence: { noiseFloor: _, ...evidence },
  }: EvaluationRow) => JSON.parse(JSON.stringify({ window_id, policy_digest, verdict, checks, evidence }))
  return isDeepStrictEqual(judged(a), judged(b))
}
