import type { Milliseconds, TimeSpan } from '../../../vocabulary/units.ts'

/** Selects a window's rollups of one bucket width and slice. */
export interface RollupQuery extends TimeSpan {
  windowId: number
  bucketMs: Milliseconds
  /** '' is all traffic. */
  slice?: string
  groupMs: Milliseconds
}
