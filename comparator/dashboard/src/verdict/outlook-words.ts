import type { CheckResult, Forecast, NoForecast } from '../../../../vocabulary/api/gate.ts'
import { overAYear } from '../../../../vocabulary/over-a-year.ts'
import { formatCount, formatCounted } from '../format/number.ts'
import { formatSpan } from '../format/time.ts'

type Foreseen = Pick<CheckResult, 'metric' | 'verdict' | 'forecast' | 'noForecast'>

/**
 * When a check will be decided, or why that cannot be predicted; `null` if it is decided, or its text says so already.
 */
export function forecastSentence(check: Foreseen, standstill: string | null): string | null {
  const { verdict, forecast, noForecast } = check
  if (verdict !== 'inconclusive' || (!forecast && !noForecast)) return null
  if (standstill !== null) return `No forecast: ${standstill}.`
  if (forecast) return `${isSpan(check) ? 'Full' : 'Decided'} in about ${amountText(check, forecast)}.`
  return `No forecast: ${whyNone(noForecast!)}.`
}

/** What follows a verdict's sentence: `; about 3 h to go (6,400 more observations)`; empty where there is nothing to add. */
export function outlookClause(check: Foreseen, standstill: string | null): string {
  const { forecast, noForecast } = check
  if (standstill !== null) return `; ${standstill}`
  if (!forecast && !noForecast) return ''
  // samples are not all that a young window lacks, so this must not read as the time to a verdict
  if (forecast && check.metric === 'samples') return `; the rest in about ${timeText(forecast)}`
  if (forecast) return `; about ${amountText(check, forecast, ' to go')}`
  return noForecast!.because === 'noBound' ? '' : `; ${whyNone(noForecast!)}`
}

/** A window fills with time, whatever arrives. */
const isSpan = ({ metric }: Foreseen) => metric === 'duration'

/** `3 h (6,400 more observations)`; `after`: what follows the time. */
function amountText(check: Foreseen, forecast: Forecast, after = ''): string {
  const time = `${timeText(forecast)}${after}`
  return isSpan(check) ? time : `${time} (${formatCounted(forecast.observations, 'more observation')})`
}

const timeText = ({ hours }: Forecast) => formatSpan(Math.max(1000, hours * 3_600_000))

function whyNone(none: NoForecast): string {
  switch (none.because) {
    case 'beyondWindow':
      return beyondText(none)
    case 'onLimit':
      return 'the estimate is on the limit, and more of the same evidence will not move it'
    case 'noBound':
      return 'there is no bound yet to project'
    case 'allAlike':
      return 'all values were the same, which says nothing about unseen ones'
    case 'others':
      return 'there are too many undeclared labels to tell apart'
    case 'newest':
      return 'the newest evidence alone must no longer be outside the limit'
    case 'firstDay':
      return 'the first day had too few answers, and it cannot gain more'
  }
}

function beyondText({ hours, windows }: Extract<NoForecast, { because: 'beyondWindow' }>): string {
  const never = overAYear(hours)
  return never ? `this takes ${never}` : `at the present rate this takes ${timesText(windows)} the window`
}

function timesText(windows: number): string {
  if (windows < 1.1) return 'slightly more than'
  return `${windows < 10 ? Number(windows.toPrecision(2)) : formatCount(windows)} times`
}
