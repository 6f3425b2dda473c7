import type { Milliseconds } from '../../vocabulary/units.ts'
import { mergeBins } from './accumulate.ts'
import { binGroupsMax, type RollupRange } from './rollup-range.ts'

const hourMs: Milliseconds = 3_600_000

/** What a range holds of one hour of the day, `07`, in UTC. Its buckets and groups of histograms must lie within an hour. */
export function withinHour(range: RollupRange, hour: string): RollupRange {
  const isWithin = ({ at }: { at: number }) => Math.floor(at / hourMs) % 24 === Number(hour)
  return { ...range, buckets: range.buckets.filter(isWithin), binGroups: range.binGroups.filter(isWithin) }
}

/** The same as evidence: with the groups of histograms merged again where there are too many. */
export function rangeOfHour(range: RollupRange, hour: string): RollupRange {
  const within = withinHour(range, hour)
  return { ...within, binGroups: fewer(within.binGroups) }
}

function fewer(groups: RollupRange['binGroups']): RollupRange['binGroups'] {
  const size = Math.ceil(groups.length / binGroupsMax)
  if (size <= 1) return groups
  return groups.flatMap(({ at }, i) => {
    if (i % size !== 0) return []
    return [{ at, bins: mergeBins(groups.slice(i, i + size).map(({ bins }) => bins)) }]
  })
}
