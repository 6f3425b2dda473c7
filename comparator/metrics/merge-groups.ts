import type { EpochMs } from '../../vocabulary/units.ts'
import { mergeBins, mergeSums, type Sums } from './accumulate.ts'
import type { BucketGroup } from './rollup-range.ts'

/** What groups hold together, as one that begins at `at`. */
export function mergeGroups(at: EpochMs, groups: readonly Pick<BucketGroup, 'cells' | 'bins'>[]): BucketGroup {
  const cells: Sums = new Map()
  for (const group of groups) mergeSums(cells, group.cells)
  return { at, cells, bins: mergeBins(groups.map(({ bins }) => bins)) }
}
