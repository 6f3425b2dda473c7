import type { CheckResult, Forecast, NoForecast } from '../../../../vocabulary/gate.ts'
import { notAtThisRate } from '../../../../vocabulary/not-at-this-rate.ts'
import { formatCount, formatCounted } from '../format/number.ts'
import { formatSpan } from '../format/time.ts'

type Foreseen = Pick<CheckResult, 'metric' | 'verdict' | 'forecast' | 'noForecast'>

/**
 * When a check will be decided, or why that cannot be predicted; `null` if it is decided, or its text says so already.
 */
export function forecastSentence(check: Foreseen, isQuiet: boolean): string | null {
  const { verdict, forecast, noForecast } = check
  if (verdict !== 'inconclusive' || (!forecast && !noForecast)) return null
  if (isQuiet) return 'No forecast while nothing arrives.'
  if (forecast) return `${isSpan(check) ? 'Full' : 'Decided'} after about ${amountText(check, forecast, '')}.`
  return `No forecast: ${whyNone(noForecast!)}.`
}

/**
 * The forecast added to a verdict's sentence: `: 6,400 more observations, about 3 h`; empty if there is nothing to add.
 */
export function outlookClause(check: Foreseen, isQuiet: boolean): string {
  const { forecast, noForecast } = check
  if (!forecast && !noForecast) return isQuiet ? '; nothing is arriving' : ''
  if (isQuiet) return '; nothing is arriving'
  if (forecast) return `: ${amountText(check, forecast, 'about ')}`
  return noForecast!.because === 'noBound' ? '' : `; ${whyNone(noForecast!)}`
}

/** A window fills with time, whatever arrives. */
const isSpan = ({ metric }: Foreseen) => metric === 'duration'

function amountText(check: Foreseen, { observations, hours }: Forecast, about: string): string {
  const time = `${about}${formatSpan(Math.max(1000, hours * 3_600_000))}`
  if (isSpan(check)) return `${time} more`
  return `${formatCounted(observations, 'more observation')}, ${time}`
}

function whyNone(none: NoForecast): string {
  switch (none.because) {
    case 'beyondWindow':
      return beyondText(none)
    case 'onLimit':
      return 'the estimate lies on the limit, and more of the same evidence leaves it there'
    case 'noBound':
      return 'there is no bound yet that could narrow'
    case 'allAlike':
      return 'all values were alike, which tells nothing of those that were not seen'
    case 'others':
      return 'there are too many labels to tell apart that the mapping does not declare'
    case 'newest':
      return 'the newest evidence by itself must come to lie inside the limit, or be in doubt'
    case 'firstDay':
      return 'the first day had too few answers to tell, and none are added to it'
  }
}

function beyondText({ hours, windows }: Extract<NoForecast, { because: 'beyondWindow' }>): string {
  const never = notAtThisRate(hours)
  return never ? `it takes ${never}` : `at the present rate it takes ${timesText(windows)} what the window holds`
}

function timesText(windows: number): string {
  if (windows < 1.1) return 'slightly more than'
  return `${windows < 10 ? Number(windows.toPrecision(2)) : formatCount(windows)} times`
}
