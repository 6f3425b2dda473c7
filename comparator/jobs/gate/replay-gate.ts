import { isDeepStrictEqual } from 'node:util'
import type { CheckResult } from '../../../vocabulary/api/gate.ts'
import type { GateReplay, ReplayDifference, ReplayedEvaluation } from '../../../vocabulary/api/replay.ts'
import type { Milliseconds } from '../../../vocabulary/units.ts'
import { evaluateGate, type GateInput } from '../../gate/evaluate.ts'
import { digestOfInput, readGateInput } from '../../gate/gate-input.ts'
import { coverageOf } from '../../metrics/evidence/exchanges.ts'
import { type EvaluationRow, listEvaluations } from '../../store/gate/gate-evaluations.ts'
import { findGateInput } from '../../store/gate/gate-inputs.ts'
import { findWindow } from '../../store/gate/windows.ts'
import { type Comparator, type KnownValidation, underWindow } from '../comparator.ts'
import { requireEvaluation } from './evaluate-gate.ts'
import { gateInputOf, judgedEvidence } from './read-evidence.ts'

/** Replayed sums are added up in another order, so they may differ by rounding. */
const relativeTolerance = 1e-9
/**
 * A month's evaluation takes some 0.1 s, more with many checks and slices, and a connection that is idle for two
 * minutes is cut.
 */
const budgetMs: Milliseconds = 30_000

/**
 * Judges stored evaluations again from their original input, and reports where the outcome differs. Those left after
 * `budgetMs` are listed as not replayed.
 */
export async function replayGate(
  comparator: Comparator,
  validation: KnownValidation,
  query: { id?: string | undefined; since: Date; limit: number },
): Promise<GateReplay> {
  const { clock } = comparator
  const evaluations: ReplayedEvaluation[] = []
  const startedAt = clock.monotonic()
  for (const row of await rowsOf(comparator, validation, query)) {
    const isOver = evaluations.length > 0 && clock.monotonic() - startedAt > budgetMs
    evaluations.push(isOver ? notReplayed(row, leftOut) : await replay(comparator, validation, row))
  }
  const count = (holds: (evaluation: ReplayedEvaluation) => boolean) => evaluations.filter(holds).length
  const notReplayable = count(({ from }) => from === 'notReplayable')
  const different = count(({ differences }) => differences.length > 0)
  return {
    validation: validation.name,
    evaluations,
    summary: {
      same: evaluations.length - different - notReplayable,
      different,
      notReplayable,
      leftOut: count(({ note }) => note === leftOut),
    },
  }
}

async function rowsOf(
  { db }: Comparator,
  { name }: KnownValidation,
  { id, since, limit }: Parameters<typeof replayGate>[2],
) {
  if (id === undefined) return listEvaluations(db, { validation: name, since, limit })
  return [await requireEvaluation(db, name, id)]
}

async function replay(
  comparator: Comparator,
  validation: KnownValidation,
  row: EvaluationRow,
): Promise<ReplayedEvaluation> {
  const not = (note: string) => notReplayed(row, note)
  try {
    const kept = await keptInput(comparator, row)
    if (typeof kept === 'string') return not(kept)
    const input = kept ?? (await inputOfRollups(comparator, validation, row))
    if (typeof input === 'string') return not(input)
    const again = evaluateGate(isOfRecent(row) ? input : withoutRecent(input))
    const differences = differencesOf(row, again)
    return { ...identityOf(row), from: kept ? 'kept' : 'rollups', replayed: again.verdict, differences, note: null }
  } catch (error) {
    // an old policy may name metrics that are judged differently today
    return not(`it can no longer be judged: ${(error as Error).message}`)
  }
}

const leftOut = `the evaluations before it used up the ${budgetMs / 1000} s for this request; ask for it by its id`

const identityOf = ({ id, at, verdict }: EvaluationRow) => ({ id, at: at.toISOString(), verdict })

function notReplayed(row: EvaluationRow, note: string): ReplayedEvaluation {
  return { ...identityOf(row), from: 'notReplayable', replayed: null, differences: [], note }
}

/** Whether its newest evidence was judged apart too, which older versions did not do. */
const isOfRecent = ({ checks }: EvaluationRow) => checks.some(({ recent }) => recent !== undefined)

const withoutRecent = ({ policy, ...evidence }: GateInput): GateInput => ({
  policy: { ...policy, window: { ...policy.window, recent: 0 } },
  ...evidence,
})

/** The input as it was kept; `undefined` if it was not, or a text that says why it cannot be trusted. */
async function keptInput({ db }: Comparator, row: EvaluationRow): Promise<GateInput | string | undefined> {
  const text = await findGateInput(db, row.id)
  if (text === undefined) return undefined
  const digest = digestOfInput(text)
  if (digest !== row.input_digest) {
    return `the kept input was altered: its digest is ${digest}, expected ${row.input_digest}`
  }
  return readGateInput(text)
}

/** The input rebuilt from the rollups, or a text that says why these are no longer what was judged. */
async function inputOfRollups(
  { db }: Comparator,
  validation: KnownValidation,
  row: EvaluationRow,
): Promise<GateInput | string> {
  if (row.window_id === null) return 'there was no evidence'
  const window = await findWindow(db, row.window_id)
  if (!window) return 'its window no longer exists'
  if (window.revision !== row.revision) {
    return `its window has moved on from revision ${row.revision} to ${window.revision}, and its input was not kept: inputs are kept where the verdict changes, a promotion rests on it, or it is the first in an hour read with a token`
  }
  const known = underWindow(validation, window)
  const evidence = await judgedEvidence(db, known, window)
  const { samples, coverage, noiseFloor } = row.evidence
  if (evidence.exchanges.compared !== samples) return 'its rollups have changed since it was judged'
  if (!isSame(coverageOf(evidence.exchanges), coverage)) {
    return 'mirrors have since reported more skipped exchanges for that time, and its input was not kept'
  }
  if (known.policy.noiseFloor !== undefined && !isDeepStrictEqual(evidence.noiseFloor?.state ?? null, noiseFloor)) {
    return 'the noise floor that it was compared with has moved on, and its input was not kept'
  }
  return gateInputOf(known.policy, window, evidence, row.at.getTime())
}

function differencesOf(
  then: Pick<EvaluationRow, 'verdict' | 'checks'>,
  now: { verdict: string; checks: CheckResult[] },
) {
  const differences: ReplayDifference[] = []
  const compare = (metric: string, field: string, stored: unknown, replayed: unknown) => {
    if (!isSame(stored, replayed)) differences.push({ metric, field, stored, replayed })
  }
  compare('gate', 'verdict', then.verdict, now.verdict)
  const fields = ['estimate', 'lower', 'upper', 'n', 'verdict'] as const
  const recentFields = ['from', 'estimate', 'lower', 'upper', 'n'] as const
  for (let i = 0; i < Math.max(then.checks.length, now.checks.length); i++) {
    const [before, after] = [then.checks[i], now.checks[i]]
    if (!before || !after || before.metric !== after.metric || before.slice !== after.slice) {
      const metric = (before ?? after)!.metric
      differences.push({ metric, field: 'check', stored: before?.metric ?? null, replayed: after?.metric ?? null })
      continue
    }
    const { metric } = before
    for (const field of fields) compare(metric, field, before[field], after[field])
    for (const field of recentFields) {
      compare(metric, `recent.${field}`, before.recent?.[field] ?? null, after.recent?.[field] ?? null)
    }
  }
  return differences
}

function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'number' || typeof b !== 'number') return (a ?? null) === (b ?? null)
  return Math.abs(a - b) <= relativeTolerance * Math.max(1, Math.abs(a), Math.abs(b))
}
