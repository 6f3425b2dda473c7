/** Candidate failures rank above every disagreement; skipped observations below all. */
export const failedSeverity = 1e300
export const skippedSeverity = -1
