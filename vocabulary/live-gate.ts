import type { Verdict } from './gate.ts'

/** One condition on the answers that clients got from a candidate. Shares are in [0, 1]. */
export interface LiveCheck {
  /** `errorRate.candidate`, `errorRate.delta`, `errorRate.delta.allTraffic`, `latency.candidate.p95|p99` or `samples`. */
  metric: string
  /** For a quantile of latency: the share of answers that took longer than `limit`. */
  share: number | null
  /** What the share has surely risen to, if only for a while, at the validation's confidence and however often one looks. */
  lower: number | null
  /** A share; of `samples` a count, of a latency ms. */
  limit: number
  n: number
  verdict: Verdict
  text: string
}

/** The live gate: what guards the steps of a rollout, beside the window's gate. */
export interface LiveGate {
  /** The evidence begins here; of it the newest 2,000 answers or the last minute count, whichever is more. */
  since: string
  /** Answers that clients got from the candidate. */
  samples: number
  verdict: Verdict
  /** Whether a step waits for it: not where it passes, nor where there are no answers and none could have come. */
  holds: boolean
  reason: string
  checks: LiveCheck[]
}

/**
 * The requests of one second, by which of the two sides erred; `over` counts the candidate's answers that took longer
 * than the limit.
 */
export interface LiveSecond {
  /** Whole seconds since the evidence begins. */
  second: number
  /** Both sides had their chance. */
  pairs: { n: number; candidateAlone: number; primaryAlone: number }
  candidate: { n: number; errors: number }
  latency: { n: number; overP95: number; overP99: number }
}

export interface LiveEvidence {
  /** Answers that clients got from the candidate, also before the seconds below; may stop at `samplesMin`. */
  samples: number
  /** Answered to clients by the candidate, shadowed by the primary. In order, without the empty ones. */
  live: LiveSecond[]
  /** Everything since: also what the primary took over from a candidate that failed, and ordinary shadows. */
  all: LiveSecond[]
}
