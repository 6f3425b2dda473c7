import { type Static, Type } from 'typebox'
import { Count, Flag, Num, named, nullable, Text, Time } from '../schema.ts'
import { verdicts } from '../verdict.ts'

export const LiveCheck = named('LiveCheck', 'One condition on the answers that clients got from a candidate.', {
  metric: Text(
    '`errorRate.candidate`, `errorRate.delta`, `errorRate.delta.allTraffic`, `latency.candidate.p95`, ' +
      '`latency.candidate.p99` or `samples`',
  ),
  share: nullable(
    Num(),
    'in [-1, 1]; for a quantile of latency, the share of answers that took longer than `limit`; null if there is none',
  ),
  lower: nullable(
    Num(),
    "what the share has surely risen to, if only for a while, at the validation's confidence and however often one " +
      'looks; null where there is no bound',
  ),
  limit: Num('a share; for `samples` a count, for a latency ms'),
  n: Count('answers behind it'),
  verdict: Type.Enum(verdicts, { description: '`fail` takes the live traffic back' }),
  text: Text('the same in a sentence'),
})
export type LiveCheck = Static<typeof LiveCheck>

export const LiveGate = named('LiveGate', "What guards the steps of a rollout, in addition to the window's gate.", {
  since: Time('start of the evidence; the newest 2,000 answers or the last minute of it count, whichever is more'),
  samples: Count('answers that clients got from the candidate'),
  verdict: Type.Enum(verdicts, { description: 'of all checks together' }),
  holds: Flag('whether a step waits for it: not if it passes, nor if there are no answers and none could have come'),
  reason: Text('one sentence for the verdict'),
  checks: Type.Array(LiveCheck, { description: 'each condition' }),
})
export type LiveGate = Static<typeof LiveGate>

/**
 * The requests of one second, by which side erred. `over…` counts the candidate's answers that took longer than the
 * limit.
 */
export interface LiveSecond {
  /** Whole seconds since the evidence began. */
  second: number
  /** Requests that both sides got. */
  pairs: { n: number; candidateAlone: number; primaryAlone: number }
  candidate: { n: number; errors: number }
  latency: { n: number; overP95: number; overP99: number }
}

export interface LiveEvidence {
  /**
   * Answers that clients got from the candidate, including those before the seconds below; counting may stop at
   * `samplesMin`.
   */
  samples: number
  /** Requests that the candidate answered for clients and the primary shadowed. In order; empty seconds are omitted. */
  live: LiveSecond[]
  /**
   * All requests since the evidence began, including those that the primary took over from a failing candidate, and
   * ordinary shadows.
   */
  all: LiveSecond[]
}
