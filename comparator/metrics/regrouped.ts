import type { Milliseconds } from '../../vocabulary/units.ts'
import { mergeBins } from './accumulate.ts'
import type { RollupRange } from './rollup-range.ts'

/** The range with its histograms merged over wider groups, aligned to the epoch. */
export function regrouped(range: RollupRange, groupMs: Milliseconds): RollupRange {
  const groups = Map.groupBy(range.binGroups, ({ at }) => Math.floor(at / groupMs) * groupMs)
  return {
    ...range,
    binGroups: [...groups].map(([at, group]) => ({ at, bins: mergeBins(group.map(({ bins }) => bins)) })),
  }
}
