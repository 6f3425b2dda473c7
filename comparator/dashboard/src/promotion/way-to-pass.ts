import type { GateEvaluation } from '../../../../vocabulary/api/gate.ts'
import { evidenceChecks } from '../../../../vocabulary/verdict.ts'

const waiting = 'It is judged again as evidence arrives.'

/** What is missing for a pass, in a sentence, so that a reader who cannot promote knows what to do next. */
export function wayToPass({ verdict, checks }: Pick<GateEvaluation, 'verdict' | 'checks'>): string {
  const check = checks.find(({ decides }) => decides)
  if (verdict === 'fail') {
    const isOfEvidence = check !== undefined && evidenceChecks.includes(check.metric)
    return isOfEvidence ? waiting : 'It needs a better candidate or a different limit; either begins a new window.'
  }
  const because = check?.noForecast?.because
  switch (because) {
    case 'beyondWindow':
      return 'More traffic or a longer window would decide it.'
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
