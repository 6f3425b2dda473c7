import type { CheckResult } from './gate.ts'

/** At most so many points has a sparkline. */
export const sparklinePointsMax = 40

/** What the overview draws of a validation, beside what `ValidationView` says in words. */
export interface GlanceView {
  /** Compared within the last five minutes, by the minute; `null` before the first observation. */
  samplesPerMinute: number | null
  /** The check of the model to draw: the first that fails, else the first undecided, else the one with the least room. */
  deciding: DecidingCheck | null
  /** The check that the verdict rests on, also of how much evidence there is; `null` of a pass. */
  decides: CheckResult | null
}

export interface DecidingCheck extends Omit<CheckResult, 'text' | 'reportOnly'> {
  /** The check's estimate step by step over the window, oldest first; `null` where a step has none. */
  sparkline: { from: string; stepMs: number; values: (number | null)[] }
}
