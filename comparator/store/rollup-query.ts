import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'

/** What is asked of a window's rollups. */
export interface RollupQuery {
  windowId: number
  bucketMs: Milliseconds
  /** '' is all of the traffic. */
  slice?: string
  from: EpochMs
  to: EpochMs
  groupMs: Milliseconds
}
