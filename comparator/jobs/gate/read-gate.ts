import type { GateEvaluation } from '../../../vocabulary/gate.ts'
import { hourMs } from '../../../vocabulary/units.ts'
import { isKeptForReader } from '../../store/gate-inputs.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import { evaluateNow, keepInput } from './evaluate-gate.ts'
import type { Judgements } from './judgements.ts'

/** At most one input of a validation is kept for its readers in so long: a month's evidence is about a megabyte. */
const keptEvery = hourMs

/**
 * The verdict for whoever acts on it outside, such as a pipeline. The first that is read in an hour can be judged again
 * later, since its input is kept; one that had no evidence needs none.
 */
export async function readGate(
  comparator: Comparator,
  judgements: Judgements,
  validation: KnownValidation,
): Promise<GateEvaluation> {
  const { evaluation } = await judgements.of(validation)
  const { digest, windowId } = evaluation.inputs!
  const { db, clock } = comparator
  if (digest !== null || windowId === null) return evaluation
  if (await isKeptForReader(db, validation.name, new Date(clock.now() - keptEvery))) return evaluation
  return db.transaction().execute(async (tx) => {
    // judged anew: the evidence itself is not held on to, and what is kept must be what is answered
    const judged = await evaluateNow(comparator, validation, tx)
    const digest = await keepInput(tx, judged.evaluation.id, judged, { forReader: true })
    return { ...judged.evaluation, inputs: { ...judged.evaluation.inputs!, digest } }
  })
}
