/**
 * Observations that an earlier process left on disk, as far as they were read: counts by validation, and whether that
 * is all.
 */
export interface Resumed {
  counts: Readonly<Record<string, number>>
  isAll: boolean
}

export const nothingResumed: Resumed = { counts: {}, isAll: true }
