import type { ValidationView } from '../../vocabulary/api/validation.ts'

type Shown = Pick<ValidationView, 'name' | 'state' | 'verdict' | 'livePercent'> & {
  window: Pick<ValidationView['window'], 'samples' | 'samplesMin'>
}

/** `digits-int8 pass | … | 5280 requests, 0 errors`: a narrow terminal cuts off what matters least. */
export function progressText(requests: number, clientErrors: number, validations: readonly Shown[]): string {
  const each = validations.map(({ name, state, verdict, livePercent, window }) => {
    const have = verdict === 'inconclusive' ? ` (${window.samples}/${window.samplesMin})` : ''
    const live = state === 'observing' ? '' : `, ${state} ${livePercent} %`
    return `${name} ${verdict}${have}${live}`
  })
  return [...each, `${requests} requests, ${clientErrors} errors`].join(' | ')
}
