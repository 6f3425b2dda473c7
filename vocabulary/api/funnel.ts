import { type Static, Type } from 'typebox'
import { Count, named, nullable, Share, Time } from '../schema.ts'
import { sizeClasses } from '../size-class.ts'

const Counts = (description: string) => Type.Record(Type.String(), Type.Integer(), { description })

export const SizeClassFunnel = named('SizeClassFunnel', 'What became of the exchanges of one request size class.', {
  sizeClass: Type.Enum(sizeClasses, { description: 'the size class of the request bodies' }),
  compared: Count('exchanges that are evidence'),
  skipped: Count('exchanges that should have been compared and were not; excludes `notSampled`'),
  coverageMin: Share('the share of this class that must be compared'),
  reported: Counts(
    'what mirrors did not deliver, by reason, `notSampled` included; for the rest of `skipped` the primary gave no answer',
  ),
})
export type SizeClassFunnel = Static<typeof SizeClassFunnel>

export const FunnelView = named(
  'FunnelView',
  "What became of the exchanges of the gate's window, in the counts that its coverage check uses. Before the first " +
    'window, of those that mirrors skipped in the last `window.duration`.',
  {
    from: nullable(Time(), 'start of the judged window; null before the first observation'),
    to: nullable(Time(), 'its newest observation; null before the first'),
    seen: Count('compared + Σ skipped'),
    compared: Count("exchanges that are evidence, the candidate's failures included"),
    skipped: Counts(
      "not evidence, by reason: the mirrors' reasons (`notSampled` included), or no usable answer from the primary",
    ),
    failed: Counts('those of `compared` to which the candidate gave no usable answer, by reason'),
    coverage: nullable(Share(), 'compared ÷ (seen − not sampled); null if the divisor is 0'),
    coverageMin: Share('the least that the policy demands'),
    bySizeClass: Type.Array(SizeClassFunnel, { description: 'one entry for each request size class that occurred' }),
  },
)
export type FunnelView = Static<typeof FunnelView>
