import type { Forecast, NoForecast } from '../../vocabulary/api/gate.ts'
import type { Edges } from '../../vocabulary/bounded.ts'
import { overAYear } from '../../vocabulary/over-a-year.ts'
import { hourMs, type Milliseconds } from '../../vocabulary/units.ts'
import type { Verdict } from '../../vocabulary/verdict.ts'
import { spellCount, spellDuration, spellNumber } from './spell-number.ts'

/** How fast evidence arrives, and how much of it a window can hold. */
export interface Pace {
  /** How long the present evidence took to arrive. */
  spannedMs: Milliseconds
  /** Length of the window: the gate judges no older evidence. */
  durationMs: Milliseconds
  /** The multiple of the present evidence that reaches the samples needed to pass; absent: they are reached. */
  growthMin?: number
}

/** When a check will be decided, as far as that is known, and the same in words ('' if there is nothing to say). */
export interface Outlook {
  forecast: Forecast | null
  noForecast?: NoForecast
  words: string
}

/** The outlook of a check that is decided, or of which nothing is known. */
export const noOutlook: Outlook = { forecast: null, words: '' }
export const noBound: Outlook = { forecast: null, noForecast: { because: 'noBound' }, words: '' }
/** A check that is still inconclusive with this many times the evidence counts as undecidable. */
const growthMax = 2 ** 24

/**
 * Forecasts when an inconclusive check will be decided, if further evidence is like the present: the estimate stays,
 * and the bound narrows with time as its sequence does. This is an expectation, since the estimate moves within its
 * bound. `verdictAt` gives the verdict at a multiple of the present evidence; once decided, it must stay so. `bounds`
 * are the present bounds, one for each side with a limit. `stuck` is a reason, other than the limit, why more evidence
 * cannot decide the check.
 */
export function forecastVerdict(
  verdictAt: (growth: number) => Verdict,
  {
    n,
    bounds,
    pace,
    stuck,
  }: { n: number; bounds: readonly Edges[]; pace: Pace; stuck?: keyof typeof stuckOutlooks | null },
): Outlook {
  if (verdictAt(1) !== 'inconclusive') return noOutlook
  if (!(n > 0) || !(pace.spannedMs > 0)) return noBound
  if (verdictAt(growthMax) === 'inconclusive') {
    if (bounds.some(({ lower, upper }) => lower === null && upper === null)) return noBound
    if (stuck === 'others') return stuckOutlooks.others
    if (bounds.some(({ lower, upper }) => lower === null || upper === null)) return allAlike
    return stuck ? stuckOutlooks[stuck] : onLimit
  }
  let undecided = 1
  let decided = 2
  for (; verdictAt(decided) === 'inconclusive'; decided *= 2) undecided = decided
  for (let step = 0; step < 20; step++) {
    const middle = (undecided + decided) / 2
    if (verdictAt(middle) === 'inconclusive') undecided = middle
    else decided = middle
  }
  const verdict = verdictAt(decided)
  // only a pass needs the minimum number of samples
  const growth = verdict === 'pass' ? Math.max(decided, pace.growthMin ?? 1) : decided
  return outlookOf(growth, verdict, n, pace)
}

const onLimit: Outlook = {
  forecast: null,
  noForecast: { because: 'onLimit' },
  words: 'the estimate is on the limit: more of the same evidence cannot decide it',
}

const allAlike: Outlook = {
  forecast: null,
  noForecast: { because: 'allAlike' },
  words: 'all values seen are the same, so nothing bounds the unseen ones: more of the same evidence cannot decide it',
}

const stuckOutlooks = {
  /** For drift since the first day. */
  firstDay: {
    forecast: null,
    noForecast: { because: 'firstDay' },
    words: 'the first day has too few answers, and more evidence cannot add to it',
  },
  /** Where too many classes were merged into one. */
  others: {
    forecast: null,
    noForecast: { because: 'others' },
    words: 'there are too many labels to tell apart unless the mapping declares them: more evidence cannot decide it',
  },
} as const satisfies Record<string, Outlook>

/** Forecasts when a count that falls short will suffice. */
export function forecastCount(have: number, needed: number, pace: Pace): Outlook {
  return have > 0 && pace.spannedMs > 0 && have < needed ? outlookOf(needed / have, 'enough', have, pace) : noOutlook
}

/** `growth` is the multiple of the present evidence at which `what` comes about. */
function outlookOf(growth: number, what: string, n: number, { spannedMs, durationMs }: Pace): Outlook {
  if (growth * spannedMs > durationMs * (1 + 1e-9)) {
    const hours = inHours(growth * spannedMs)
    const windows = (growth * spannedMs) / durationMs
    const needed =
      overAYear(hours) ??
      `${spellDuration(growth * spannedMs)} at the present rate, ${spellNumber(windows)} times the window`
    return {
      forecast: null,
      noForecast: { because: 'beyondWindow', hours, windows: threeDigits(windows) },
      words: `${what} would take ${needed}`,
    }
  }
  const observations = Math.ceil((growth - 1) * n - 1e-9)
  const hours = inHours((growth - 1) * spannedMs)
  const words = `${what} after about ${spellCount(observations)} more, ${spellDuration(hours * hourMs)} at the present rate`
  return { forecast: { observations, hours }, words }
}

const threeDigits = (value: number) => Number(value.toPrecision(3))
const inHours = (ms: Milliseconds) => threeDigits(ms / hourMs)
