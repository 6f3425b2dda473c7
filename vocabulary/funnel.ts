import { type Static, Type } from 'typebox'
import { named, nullable, Time } from './schema.ts'
import { sizeClasses } from './size-class.ts'

export const SizeClassFunnel = named('SizeClassFunnel', {
  sizeClass: Type.Enum(sizeClasses),
  compared: Type.Integer(),
  /** All that was to be compared and was not: without `notSampled`. */
  skipped: Type.Number(),
  coverageMin: Type.Number(),
  /** What mirrors did not deliver, by reason, `notSampled` among them; the rest of `skipped` the primary did not answer. */
  reported: Type.Record(Type.String(), Type.Integer()),
})
export type SizeClassFunnel = Static<typeof SizeClassFunnel>

/**
 * `GET /v1/validations/{name}/funnel`: where the exchanges of the gate's window went, in the counts that its coverage
 * check reads. `seen = compared + Σ skipped`; `compared` includes the candidate's failures, which are evidence.
 */
export const FunnelView = named('FunnelView', {
  from: nullable(Time),
  to: nullable(Time),
  seen: Type.Integer(),
  compared: Type.Integer(),
  /** Not evidence, by reason: mirrors' (`notSampled` among them), and that the primary gave no usable answer. */
  skipped: Type.Record(Type.String(), Type.Integer()),
  /** Of `compared`: the candidate gave no usable answer, by reason. */
  failed: Type.Record(Type.String(), Type.Integer()),
  /** compared ÷ (seen − not sampled); `null` where that is nothing. */
  coverage: nullable(Type.Number()),
  coverageMin: Type.Number(),
  /** Of requests of each size that came at all. */
  bySizeClass: Type.Array(SizeClassFunnel),
})
export type FunnelView = Static<typeof FunnelView>
