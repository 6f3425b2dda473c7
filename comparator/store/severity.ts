/** Candidate failures rank above every disagreement; what was not compared ranks nowhere. */
export const failedSeverity = 1e300
export const skippedSeverity = -1
