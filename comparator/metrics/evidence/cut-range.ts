import { type EpochMs, hourMs, type Milliseconds } from '../../../vocabulary/units.ts'
import { mergeBins } from '../../statistics/bin-counts.ts'
import { mergeSums, type Sums } from '../../statistics/sums.ts'
import { type BucketGroup, groupsMax, type RollupRange } from '../rollup-range.ts'

/** The sum of groups, as one group that begins at `at`. */
export function mergeGroups(at: EpochMs, groups: readonly Pick<BucketGroup, 'cells' | 'bins'>[]): BucketGroup {
  const cells: Sums = new Map()
  for (const group of groups) mergeSums(cells, group.cells)
  return { at, cells, bins: mergeBins(groups.map(({ bins }) => bins)) }
}

/** The range with its cells and histograms merged over wider groups, aligned to the epoch. */
export function regrouped(range: RollupRange, groupMs: Milliseconds): RollupRange {
  const groups = Map.groupBy(range.groups, ({ at }) => Math.floor(at / groupMs) * groupMs)
  return {
    ...range,
    groups: [...groups].map(([at, within]) => mergeGroups(at, within)),
  }
}

/** Splits a range into one range per step, empty ones included. */
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

/** The part of a range within one hour of the day, such as `07`, in UTC. Buckets and groups must lie within an hour. */
export function withinHour(range: RollupRange, hour: string): RollupRange {
  const isWithin = ({ at }: { at: number }) => Math.floor(at / hourMs) % 24 === Number(hour)
  return { ...range, buckets: range.buckets.filter(isWithin), groups: range.groups.filter(isWithin) }
}

/** The same as evidence, with groups merged if there are too many. */
export function rangeOfHour(range: RollupRange, hour: string): RollupRange {
  const within = withinHour(range, hour)
  return { ...within, groups: fewer(within.groups) }
}

function fewer(groups: RollupRange['groups']): RollupRange['groups'] {
  const size = Math.ceil(groups.length / groupsMax)
  if (size <= 1) return groups
  return groups.flatMap(({ at }, i) => {
    if (i % size !== 0) return []
    return [mergeGroups(at, groups.slice(i, i + size))]
  })
}
