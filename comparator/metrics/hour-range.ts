import { hourMs } from '../../vocabulary/units.ts'
import { mergeGroups } from './merge-groups.ts'
import { groupsMax, type RollupRange } from './rollup-range.ts'

/** What a range holds of one hour of the day, `07`, in UTC. Its buckets and groups must lie within an hour. */
export function withinHour(range: RollupRange, hour: string): RollupRange {
  const isWithin = ({ at }: { at: number }) => Math.floor(at / hourMs) % 24 === Number(hour)
  return { ...range, buckets: range.buckets.filter(isWithin), groups: range.groups.filter(isWithin) }
}

/** The same as evidence: with the groups merged again where there are too many. */
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
