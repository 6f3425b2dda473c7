import type { GateEvaluation } from '../../../../vocabulary/gate.ts'

/** What a pass takes where there is none, in a sentence: who cannot promote now should know what to do next. */
export function wayToPass({ verdict, checks }: Pick<GateEvaluation, 'verdict' | 'checks'>): string {
  if (verdict === 'fail') return 'A new version of the candidate begins a new window.'
  switch (checks.find(({ decides }) => decides)?.noForecast?.because) {
    case 'beyondWindow':
      return 'More traffic or a longer window would decide it.'
    case 'onLimit':
      return 'A better candidate or another limit would decide it.'
    default:
      return 'It is judged again as evidence arrives.'
  }
}
