import type { Forecast, Verdict } from '../../vocabulary/gate.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { spellCount, spellDuration, spellNumber } from './spell-number.ts'

/** How fast evidence comes, and how much of it a window can hold. */
export interface Pace {
  /** How long what there is took to come. */
  spannedMs: Milliseconds
  /** The gate judges the last of this; what is older leaves. */
  durationMs: Milliseconds
}

/** What is known of when a check will be decided, and the same in words; no words where there is nothing to say. */
export interface Outlook {
  forecast: Forecast | null
  words: string
}

const nothing: Outlook = { forecast: null, words: '' }
/** A bound that needs more than this many times the evidence is on the limit. */
const growthMax = 2 ** 24
const hourMs = 3_600_000

/**
 * When an undecided check will be decided, if what comes is like what came: the estimate stays, and the bound narrows
 * as its sequence does with time. `verdictAt` says what the check would be with so many times the evidence; once it is
 * decided, more evidence leaves it so. It holds as an expectation: the estimate moves, within its bound.
 */
export function forecastVerdict(verdictAt: (growth: number) => Verdict, n: number, pace: Pace): Outlook {
  if (verdictAt(1) !== 'inconclusive' || !(n > 0) || !(pace.spannedMs > 0)) return nothing
  if (verdictAt(growthMax) === 'inconclusive') {
    return { forecast: null, words: 'the estimate lies on the limit: no more of the same evidence decides it' }
  }
  let undecided = 1
  let decided = 2
  for (; verdictAt(decided) === 'inconclusive'; decided *= 2) undecided = decided
  for (let step = 0; step < 20; step++) {
    const middle = (undecided + decided) / 2
    if (verdictAt(middle) === 'inconclusive') undecided = middle
    else decided = middle
  }
  return outlookOf(decided, `${verdictAt(decided)}`, n, pace)
}

/** When a count that falls short will be enough. */
export function forecastCount(have: number, needed: number, pace: Pace): Outlook {
  return have > 0 && pace.spannedMs > 0 && have < needed ? outlookOf(needed / have, 'enough', have, pace) : nothing
}

/** `growth`: of the evidence that there is, so many times makes it so. */
function outlookOf(growth: number, what: string, n: number, { spannedMs, durationMs }: Pace): Outlook {
  if (growth * spannedMs > durationMs * (1 + 1e-9)) {
    const needed = `${what} would take ${spellDuration(growth * spannedMs)} at the present rate`
    return {
      forecast: null,
      words: `${needed}, ${spellNumber((growth * spannedMs) / durationMs)} times what the window holds`,
    }
  }
  const observations = Math.ceil((growth - 1) * n)
  const hours = Number((((growth - 1) * spannedMs) / hourMs).toPrecision(3))
  const words = `${what} after about ${spellCount(observations)} more, ${spellDuration(hours * hourMs)} at the present rate`
  return { forecast: { observations, hours }, words }
}
