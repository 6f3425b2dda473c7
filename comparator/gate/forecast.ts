import type { Edges } from '../../vocabulary/bounded.ts'
import type { Forecast, NoForecast } from '../../vocabulary/gate.ts'
import { notAtThisRate } from '../../vocabulary/not-at-this-rate.ts'
import { hourMs, type Milliseconds } from '../../vocabulary/units.ts'
import type { Verdict } from '../../vocabulary/verdict.ts'
import { spellCount, spellDuration, spellNumber } from './spell-number.ts'

/** How fast evidence comes, and how much of it a window can hold. */
export interface Pace {
  /** How long what there is took to come. */
  spannedMs: Milliseconds
  /** The gate judges the last of this; what is older leaves. */
  durationMs: Milliseconds
  /** So many times the evidence makes the samples that a pass takes; absent: they are there. */
  growthMin?: number
}

/** What is known of when a check will be decided, and the same in words; no words where there is nothing to say. */
export interface Outlook {
  forecast: Forecast | null
  noForecast?: NoForecast
  words: string
}

/** Of a check that is decided, or of which nothing can be told. */
export const nothing: Outlook = { forecast: null, words: '' }
export const noBound: Outlook = { forecast: null, noForecast: { because: 'noBound' }, words: '' }
/** A bound that needs more than this many times the evidence is on the limit. */
const growthMax = 2 ** 24

/**
 * When an undecided check will be decided, if what comes is like what came: the estimate stays, and the bound narrows
 * as its sequence does with time. `verdictAt` says what the check would be with so many times the evidence; once it is
 * decided, more evidence leaves it so. It holds as an expectation: the estimate moves, within its bound. `bounds` are
 * those of now, one of each side that has a limit. `stuck`: why no more evidence decides it, where that is not the limit.
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
  if (verdictAt(1) !== 'inconclusive') return nothing
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
  // a check may fail on less than the samples that a pass takes
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
  /** Of drift since the first day. */
  firstDay: {
    forecast: null,
    noForecast: { because: 'firstDay' },
    words: 'the first day has too few answers, and more evidence cannot add to it',
  },
  /** Of classes that were given up for one. */
  others: {
    forecast: null,
    noForecast: { because: 'others' },
    words: 'there are too many labels to tell apart unless the mapping declares them: more evidence cannot decide it',
  },
} as const satisfies Record<string, Outlook>

/** When a count that falls short will be enough. */
export function forecastCount(have: number, needed: number, pace: Pace): Outlook {
  return have > 0 && pace.spannedMs > 0 && have < needed ? outlookOf(needed / have, 'enough', have, pace) : nothing
}

/** `growth`: of the evidence that there is, so many times makes it so. */
function outlookOf(growth: number, what: string, n: number, { spannedMs, durationMs }: Pace): Outlook {
  if (growth * spannedMs > durationMs * (1 + 1e-9)) {
    const hours = inHours(growth * spannedMs)
    const windows = (growth * spannedMs) / durationMs
    const needed =
      notAtThisRate(hours) ??
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
