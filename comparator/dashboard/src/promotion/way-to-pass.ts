import type { GateEvaluation } from '../../../../vocabulary/api/gate.ts'

/**
 * What is missing for a pass, in a sentence, so that a reader who cannot promote knows what to do next. `standstill`:
 * why the evidence does not grow.
 */
export function wayToPass(
  { verdict, checks }: Pick<GateEvaluation, 'verdict' | 'checks'>,
  standstill: string | null,
): string {
  if (verdict === 'fail') return 'It needs a better candidate or a different limit; either begins a new window.'
  const check = checks.find(({ decides }) => decides)
  // an undecided gate that no check decides has none of the model, and no evidence changes that
  if (check === undefined) return 'It needs a check of the model that is not report-only, which begins a new window.'
  const waiting =
    standstill === null ? 'It is judged again as evidence arrives.' : `It waits for evidence: ${standstill}.`
  switch (check.noForecast?.because) {
    case 'beyondWindow':
      return standstill === null ? 'More traffic or a longer window would decide it.' : waiting
    case 'onLimit':
      return 'A better candidate or a different limit would decide it.'
    case 'allAlike':
      return 'It needs values that differ: more of the same cannot decide it.'
    case 'others':
      return 'Declare the labels in the mapping, which begins a new window.'
    case 'firstDay':
      return 'It needs a new window whose first day has enough answers.'
    case 'noBound':
    case 'newest':
    case undefined:
      return waiting
  }
}
