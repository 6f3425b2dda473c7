import type { GateEvaluation } from '../../../../vocabulary/gate.ts'
import { evidenceChecks } from '../../../../vocabulary/verdict.ts'

const waiting = 'It is judged again as evidence arrives.'

/** What is missing for a pass, in a sentence, so that a reader who cannot promote knows what to do next. */
export function wayToPass({ verdict, checks }: Pick<GateEvaluation, 'verdict' | 'checks'>): string {
  const check = checks.find(({ decides }) => decides)
  if (verdict === 'fail') {
    const isOfEvidence = check !== undefined && evidenceChecks.includes(check.metric)
    return isOfEvidence ? waiting : 'It takes a better candidate, or another limit: either begins a new window.'
  }
  const because = check?.noForecast?.because
  switch (because) {
    case 'beyondWindow':
      return 'More traffic or a longer window would decide it.'
    case 'onLimit':
      return 'A better candidate or another limit would decide it.'
    case 'allAlike':
      return 'It takes values that are not all alike: more of the same decides nothing.'
    case 'others':
      return 'It takes a mapping that declares the labels, which begins a new window.'
    case 'firstDay':
      return 'It takes a new window, whose first day has enough answers.'
    case 'noBound':
    case 'newest':
    case undefined:
      return waiting
  }
}
