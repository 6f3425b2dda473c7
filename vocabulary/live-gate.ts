import { type Static, Type } from 'typebox'
import { named, nullable, Time } from './schema.ts'
import { verdicts } from './verdict.ts'

/** One condition on the answers that clients got from a candidate. Shares are in [0, 1]. */
export const LiveCheck = named('LiveCheck', {
  /** `errorRate.candidate`, `errorRate.delta`, `errorRate.delta.allTraffic`, `latency.candidate.p95|p99` or `samples`. */
  metric: Type.String(),
  /** For a quantile of latency: the share of answers that took longer than `limit`. */
  share: nullable(Type.Number()),
  /** What the share has surely risen to, if only for a while, at the validation's confidence and however often one looks. */
  lower: nullable(Type.Number()),
  /** A share; of `samples` a count, of a latency ms. */
  limit: Type.Number(),
  n: Type.Integer(),
  verdict: Type.Enum(verdicts),
  text: Type.String(),
})
export type LiveCheck = Static<typeof LiveCheck>

/** The live gate: what guards the steps of a rollout, beside the window's gate. */
export const LiveGate = named('LiveGate', {
  /** The evidence begins here; of it the newest 2,000 answers or the last minute count, whichever is more. */
  since: Time,
  /** Answers that clients got from the candidate. */
  samples: Type.Integer(),
  verdict: Type.Enum(verdicts),
  /** Whether a step waits for it: not where it passes, nor where there are no answers and none could have come. */
  holds: Type.Boolean(),
  reason: Type.String(),
  checks: Type.Array(LiveCheck),
})
export type LiveGate = Static<typeof LiveGate>

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
