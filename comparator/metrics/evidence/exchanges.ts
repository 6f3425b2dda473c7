import type { SkipReason } from '../../../vocabulary/coverage.ts'
import { type SizeClass, sizeClasses } from '../../../vocabulary/size-class.ts'
import type { Sums } from '../../statistics/sums.ts'
import { exchangeMeasure, skippedMeasurePrefix, unmappedMeasure } from '../measures.ts'
import type { RollupRange } from '../rollup-range.ts'
import { evidenceOf } from './evidence.ts'

export const leftOutByChoice: SkipReason = 'notSampled'

/** `seen = compared + Σ skipped`; `compared` includes the candidate's failures, which are evidence too. */
export interface Exchanges {
  compared: number
  skipped: Record<string, number>
  /** `skipped.unmapped` by what the mapping found instead of an answer. */
  unmapped: Record<string, number>
  bySizeClass: Record<SizeClass, { compared: number; skipped: number }>
}

/** Exchanges that a mirror saw but did not send as observations. */
export interface ReportedSkip {
  reason: string
  sizeClass: SizeClass
  count: number
}

/** Whether a bucket has any compared exchange, not just skipped ones. */
export const hasCompared = (sums: Sums) =>
  sizeClasses.some((sizeClass) => (sums.get(exchangeMeasure(sizeClass))?.sum ?? 0) > 0)

export function exchangesOf(range: RollupRange, reportedSkips: Iterable<ReportedSkip>): Exchanges {
  const skipped = new Map<string, number>()
  const skip = (reason: string, count: number) => {
    if (count > 0) skipped.set(reason, (skipped.get(reason) ?? 0) + count)
  }
  const bySizeClass = {} as Exchanges['bySizeClass']
  for (const sizeClass of sizeClasses) bySizeClass[sizeClass] = { compared: 0, skipped: 0 }

  const { sums } = evidenceOf(range)
  for (const sizeClass of sizeClasses) {
    const sum = sums.get(exchangeMeasure(sizeClass))
    if (sum === undefined) continue
    bySizeClass[sizeClass].compared += sum.sum
    bySizeClass[sizeClass].skipped += sum.n - sum.sum
  }
  const unmapped: Exchanges['unmapped'] = {}
  const unmappedPrefix = unmappedMeasure('primary', '')
  for (const [measure, { n }] of sums) {
    if (measure.startsWith(skippedMeasurePrefix)) skip(measure.slice(skippedMeasurePrefix.length), n)
    const code = measure.startsWith(unmappedPrefix) ? measure.slice(unmappedPrefix.length) : null
    // a zero vector is not unmapped but a reason of its own
    if (code !== null && code !== 'zeroVector') unmapped[code] = n
  }
  for (const { reason, sizeClass, count } of reportedSkips) {
    skip(reason, count)
    if (reason !== leftOutByChoice) bySizeClass[sizeClass].skipped += count
  }
  const compared = Object.values(bySizeClass).reduce((total, counts) => total + counts.compared, 0)
  return { compared, skipped: Object.fromEntries(skipped), unmapped, bySizeClass }
}

export function skippedOf(exchanges: Exchanges): number {
  return Object.values(exchanges.skipped).reduce((total, count) => total + count, 0)
}

/**
 * Exchanges that were to be compared: seen − not sampled. Sampling by a hash leaves out exchanges regardless of their
 * content, so it introduces no bias; every other reason may.
 */
export function chosenOf(exchanges: Exchanges): number {
  return exchanges.compared + skippedOf(exchanges) - (exchanges.skipped[leftOutByChoice] ?? 0)
}

/** compared ÷ chosen; `null` if none was chosen. */
export function coverageOf(exchanges: Exchanges): number | null {
  const chosen = chosenOf(exchanges)
  return chosen > 0 ? exchanges.compared / chosen : null
}
