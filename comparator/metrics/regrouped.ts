import type { Milliseconds } from '../../vocabulary/units.ts'
import { mergeGroups } from './merge-groups.ts'
import type { RollupRange } from './rollup-range.ts'

/** The range with its cells and histograms merged over wider groups, aligned to the epoch. */
export function regrouped(range: RollupRange, groupMs: Milliseconds): RollupRange {
  const groups = Map.groupBy(range.groups, ({ at }) => Math.floor(at / groupMs) * groupMs)
  return {
    ...range,
    groups: [...groups].map(([at, within]) => mergeGroups(at, within)),
  }
}
