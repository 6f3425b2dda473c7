import type { EpochMs, Milliseconds } from '../../../vocabulary/units.ts'

/** Selects a window's rollups of one bucket width and slice. */
export interface RollupQuery {
  windowId: number
  bucketMs: Milliseconds
  /** '' is all traffic. */
  slice?: string
  from: EpochMs
  to: EpochMs
  groupMs: Milliseconds
}
