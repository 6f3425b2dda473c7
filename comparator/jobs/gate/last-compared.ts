import type { EpochMs } from '../../../vocabulary/units.ts'
import { hasCompared } from '../../metrics/evidence/exchanges.ts'
import type { Db, Tx } from '../../store/database/open-database.ts'
import type { RollupQuery } from '../../store/rollups/rollup-query.ts'
import { readSums } from '../../store/rollups/rollups.ts'

/**
 * The start of the last bucket in [from, to) with a compared exchange; `undefined` if there is none. Read from
 * the end, where it mostly is, in steps that double.
 */
export async function lastComparedBucket(
  db: Db | Tx,
  { from, to, ...query }: Omit<RollupQuery, 'groupMs'>,
): Promise<EpochMs | undefined> {
  let end = to
  for (let stepMs = query.bucketMs; end > from; stepMs *= 2) {
    const start = Math.max(from, end - stepMs)
    const buckets = await readSums(db, { ...query, from: start, to: end })
    const last = buckets.findLast(({ sums }) => hasCompared(sums))
    if (last !== undefined) return last.at
    end = start
  }
  return undefined
}
