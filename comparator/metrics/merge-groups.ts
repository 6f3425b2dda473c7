import type { EpochMs } from '../../vocabulary/units.ts'
import { mergeBins } from '../statistics/bin-counts.ts'
import { mergeSums, type Sums } from '../statistics/sums.ts'
import type { BucketGroup } from './rollup-range.ts'

/** What groups hold together, as one that begins at `at`. */
export function mergeGroups(at: EpochMs, groups: readonly Pick<BucketGroup, 'cells' | 'bins'>[]): BucketGroup {
  const cells: Sums = new Map()
  for (const group of groups) mergeSums(cells, group.cells)
  return { at, cells, bins: mergeBins(groups.map(({ bins }) => bins)) }
}
