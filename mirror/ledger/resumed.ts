/** What an earlier process has left on disk, as far as it was read: by validation, and whether that is all. */
export interface Resumed {
  counts: Readonly<Record<string, number>>
  isAll: boolean
}

export const nothingResumed: Resumed = { counts: {}, isAll: true }
