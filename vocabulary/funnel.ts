import { type Static, Type } from 'typebox'
import { Count, named, nullable, Share, Time } from './schema.ts'
import { sizeClasses } from './size-class.ts'

const Counts = (description: string) => Type.Record(Type.String(), Type.Integer(), { description })

export const SizeClassFunnel = named('SizeClassFunnel', 'Where the exchanges of one size of requests went.', {
  sizeClass: Type.Enum(sizeClasses, { description: "the class of the request bodies' length" }),
  compared: Count('exchanges that are evidence'),
  skipped: Count('all that was to be compared and was not: without `notSampled`'),
  coverageMin: Share('the share that must be compared, of this class'),
  reported: Counts(
    'what mirrors did not deliver, by reason, `notSampled` among them; the rest of `skipped` the primary did not answer',
  ),
})
export type SizeClassFunnel = Static<typeof SizeClassFunnel>

export const FunnelView = named(
  'FunnelView',
  "Where the exchanges of the gate's window went, in the counts that its coverage check reads.",
  {
    from: nullable(Time(), 'where the window that is judged begins; null before the first observation'),
    to: nullable(Time(), 'its newest observation; null before the first'),
    seen: Count('compared + Σ skipped'),
    compared: Count("exchanges that are evidence, the candidate's failures included"),
    skipped: Counts("no evidence, by reason: mirrors' (`notSampled` among them), or no usable answer of the primary"),
    failed: Counts('of `compared`: the candidate gave no usable answer, by reason'),
    coverage: nullable(Share(), 'compared ÷ (seen − not sampled); null where that is nothing'),
    coverageMin: Share('what the policy demands of it'),
    bySizeClass: Type.Array(SizeClassFunnel, { description: 'of each size of requests that came at all' }),
  },
)
export type FunnelView = Static<typeof FunnelView>
