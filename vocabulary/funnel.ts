import type { SizeClass } from './coverage.ts'

/**
 * `GET /v1/validations/{name}/funnel`: where the exchanges of the gate's window went, in the counts that its coverage
 * check reads. `seen = compared + Σ skipped`; `compared` includes the candidate's failures, which are evidence.
 */
export interface FunnelView {
  from: string | null
  to: string | null
  seen: number
  compared: number
  /** Not evidence, by reason: mirrors' (`notSampled` among them), and that the primary gave no usable answer. */
  skipped: Record<string, number>
  /** Of `compared`: the candidate gave no usable answer, by reason. */
  failed: Record<string, number>
  /** compared ÷ (seen − not sampled); `null` where that is nothing. */
  coverage: number | null
  coverageMin: number
  /** Of requests of each size that came at all. */
  bySizeClass: SizeClassFunnel[]
}

export interface SizeClassFunnel {
  sizeClass: SizeClass
  compared: number
  /** All that was to be compared and was not: without `notSampled`. */
  skipped: number
  coverageMin: number
  /** What mirrors did not deliver, by reason, `notSampled` among them; the rest of `skipped` the primary did not answer. */
  reported: Record<string, number>
}
