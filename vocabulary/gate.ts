import type { RelativeTo } from './policy.ts'

/** No evidence is never a pass: empty, NaN, too little or cut short is `inconclusive`. */
export const verdicts = ['pass', 'fail', 'inconclusive'] as const
export type Verdict = (typeof verdicts)[number]

/** The built-in checks of how much evidence there is: none of them says a thing about the model. */
export const evidenceChecks = ['samples', 'duration', 'coverage', 'everyHourOfWeek', 'age']

/** How much more it takes until an undecided check is decided, at the present rate and if what comes is like what came. */
export interface Forecast {
  observations: number
  hours: number
}

/** Why an undecided check has no forecast. */
export type NoForecast =
  /** At the present rate it would take so long, which is so many times what the window holds. */
  | { because: 'beyondWindow'; hours: number; windows: number }
  /** The estimate lies on the limit: more of the same evidence leaves it there. */
  | { because: 'onLimit' }
  /** There is no bound yet that could narrow. */
  | { because: 'noBound' }
  /** One side has no bound: values that were all alike do not tell how large those may be that were not seen. */
  | { because: 'allAlike' }
  /** Of drift since the first day: it has too few answers to tell, and none are added to it. */
  | { because: 'firstDay' }

/** Exchanges in which the candidate gave no usable answer, and why most of them did. */
export interface Failures {
  n: number
  /** As in the metrics' `failed.REASON`; of `unmapped`, `found` says what the mapping met most. */
  reason: string
  ofReason: number
  found?: string
}

/** One condition on one metric, judged. Bounds are in the metric's own unit; `null` where there is none. */
export interface CheckResult {
  metric: string
  /** The slice that it is of, such as `class=7`; absent: all of the traffic. */
  slice?: string
  estimate: number | null
  lower: number | null
  upper: number | null
  /** The policy's limit, `{min}` or `{max}` or both. */
  limit: { min?: number; max?: number }
  /** Where the condition compares the metric: estimate, bounds and limit are then of that ratio, or difference. */
  relative?: { to: RelativeTo; by: 'ratio' | 'difference' }
  /**
   * The values that stand behind the estimate, of a metric that each side has by itself or of a relative condition;
   * absent of a metric of the pair. `noiseFloor`: the primary against itself.
   */
  sides?: { primary?: number | null; candidate: number | null; noiseFloor?: number | null }
  /** Observations behind the estimate. */
  n: number
  verdict: Verdict
  /** `null` where it is decided, can not be told yet, or is not to be expected: `noForecast` says which. */
  forecast?: Forecast | null
  /** Of an undecided check of the model, and of the samples, without a forecast. */
  noForecast?: NoForecast
  /**
   * Where it is above 0.8: how much each bucket of the metric is like the next. The bound is then too narrow more often
   * than the confidence says; `text` says so too.
   */
  correlation?: number
  /** Where a check that does not pass holds mostly failures of the candidate against it; `text` says so too. */
  failures?: Failures
  /** The gate's verdict rests on this one: the first that fails, or else is undecided. */
  decides?: true
  /** Every gate has it, without the policy having asked. Absent of those of how much evidence there is. */
  implied?: true
  /** Shown and judged, but without a say in the gate's verdict. */
  reportOnly: boolean
  /** The arithmetic in a sentence: estimate, bound, limit, evidence, and why the verdict follows. */
  text: string
}

/** The span of evidence that was judged. Times are ISO 8601 in UTC; `null` where there is no observation yet. */
export interface WindowView {
  beganAt: string | null
  from: string | null
  to: string | null
  durationMs: number
  spannedMs: number
  bucketMs: number
  buckets: number
  samples: number
  samplesMin: number
  coverage: number | null
  coverageMin: number
  primaryVersion: string | null
  candidateVersion: string | null
  /** Of the model files; absent from evaluations of before they were kept. */
  primaryDigest?: string | null
  candidateDigest?: string | null
  policyDigest: string
  /** Where the policy names a noise floor: the window and revision of its rollups, `null` without evidence of it. */
  noiseFloor?: { windowId: number; revision: number } | null
}

export interface GateEvaluation {
  id: string
  validation: string
  at: string
  verdict: Verdict
  /** One sentence that names the first failing or undecided thing. */
  reason: string
  checks: CheckResult[]
  window: WindowView
  /** What was judged, beside the policy and the versions in `window`: the same input gives the same verdict. */
  inputs?: {
    windowId: number | null
    /** How many times the window's rollups had been added to: the watermark of the evidence. */
    revision: number
    /** SHA-256 of the whole input, where it was kept: where a verdict turned or a promotion rests on it. */
    digest: string | null
  }
}
