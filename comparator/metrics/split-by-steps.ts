import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import type { RollupRange } from './rollup-range.ts'

/** One range a step, also where nothing came. */
export function splitBySteps(range: RollupRange, stepMs: Milliseconds): RollupRange[] {
  const steps: RollupRange[] = []
  const first = Math.floor(range.from / stepMs) * stepMs
  for (let at = first; at < range.to; at += stepMs) {
    steps.push({ from: at, to: at + stepMs, bucketMs: range.bucketMs, buckets: [], groups: [] })
  }
  const stepAt = (at: EpochMs) => steps[Math.floor((at - first) / stepMs)]
  for (const bucket of range.buckets) stepAt(bucket.at)?.buckets.push(bucket)
  for (const group of range.groups) stepAt(group.at)?.groups.push(group)
  return steps
}
