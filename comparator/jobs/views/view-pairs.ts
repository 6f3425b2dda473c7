import type { PairsView } from '../../../vocabulary/api/pairs.ts'
import type { Leg } from '../../../vocabulary/leg.ts'
import { type Answer, topScore } from '../../compare/answer.ts'
import type { ObservationRow } from '../../store/database/tables.ts'
import { listTypical } from '../../store/observations/typical.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import { failure } from '../errors.ts'
import { currentWindow } from '../gate/read-evidence.ts'
import type { OutputRow } from '../intake/observation-row.ts'
import { mappingNamed } from './named-output.ts'
import { requireSlice } from './named-slice.ts'

/** A uniform sample of the current window's compared answers, as one number a side; without pairs that lack one. */
export async function viewPairs(
  { db }: Comparator,
  validation: KnownValidation,
  { output, slice, limit }: { output: string; slice: string; limit: number },
): Promise<PairsView> {
  const mapping = mappingNamed(validation, output)
  requireSlice(validation, slice)
  if (mapping.kind !== 'regression' && mapping.kind !== 'classification') {
    throw failure(
      'BAD_REQUEST',
      `pairs are of regressions and classifications; this output is of the kind ${mapping.kind}`,
    )
  }
  const window = await currentWindow(db, validation)
  const rows = window ? await listTypical(db, { windowId: window.id, slice, limit, comparison: 'compared' }) : []
  return {
    of: mapping.kind === 'regression' ? 'value' : 'topScore',
    units: mapping.kind === 'regression' ? (mapping.units ?? null) : null,
    pairs: rows.flatMap((row) => {
      const primary = numberOf(answerOf(row, output, 'primary'))
      const candidate = numberOf(answerOf(row, output, 'candidate'))
      return primary === null || candidate === null ? [] : [{ id: row.id, primary, candidate }]
    }),
  }
}

function answerOf(row: ObservationRow, output: string, side: Leg): Answer | null {
  if (output === '') return (side === 'primary' ? row.primary_answer : row.candidate_answer) as Answer | null
  return (row.outputs as Record<string, OutputRow> | null)?.[output]?.[side] ?? null
}

/** The value, or the mean of several as in the rollups; of scores the greatest. */
function numberOf(answer: Answer | null): number | null {
  if (answer?.kind === 'value') {
    const { value } = answer
    return typeof value === 'number' ? value : value.reduce((sum, each) => sum + each, 0) / value.length
  }
  return answer?.kind === 'class' && answer.scores !== null ? topScore(answer.scores) : null
}
