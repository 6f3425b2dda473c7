/** No evidence is never a pass: empty, NaN, too little or cut short is `inconclusive`. */
export const verdicts = ['pass', 'fail', 'inconclusive'] as const
export type Verdict = (typeof verdicts)[number]

/** The built-in checks of the amount of evidence; none says anything about the model. */
export const evidenceChecks = ['samples', 'duration', 'coverage', 'labelCoverage', 'everyHourOfWeek', 'age']
