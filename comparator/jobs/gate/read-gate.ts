import type { GateEvaluation } from '../../../vocabulary/api/gate.ts'
import { hourMs } from '../../../vocabulary/units.ts'
import { inTransaction } from '../../store/database/in-transaction.ts'
import { isKeptForReader } from '../../store/gate/gate-inputs.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import { evaluateNow, keepInput } from './evaluate-gate.ts'
import type { NewestJudgements } from './newest-judgements.ts'

/** At most one input of a validation per hour is kept for readers, since a month's evidence is about a megabyte. */
const keptEvery = hourMs

/**
 * The evaluation for callers that act on it, such as a pipeline. The input of the first one read in an hour is kept, so
 * that it can be replayed later. An evaluation without evidence needs no input.
 */
export async function readGate(
  comparator: Comparator,
  judgements: NewestJudgements,
  validation: KnownValidation,
): Promise<GateEvaluation> {
  const { evaluation } = await judgements.of(validation)
  const { digest, windowId } = evaluation.inputs!
  const { db, clock } = comparator
  if (digest !== null || windowId === null) return evaluation
  if (await isKeptForReader(db, validation.name, new Date(clock.now() - keptEvery))) return evaluation
  return inTransaction(db, async (tx) => {
    // judged again, as a Judgement does not hold its evidence, and the kept input must be that of the answer
    const judged = await evaluateNow(comparator, validation, tx)
    const digest = await keepInput(tx, judged, { forReader: true })
    return { ...judged.evaluation, inputs: { ...judged.evaluation.inputs!, digest } }
  })
}
