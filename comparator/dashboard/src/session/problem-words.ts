import type { SignInProblem } from '../../../../vocabulary/sign-in-problem.ts'

/** Each says what to do next. */
export const problemWords: Record<SignInProblem, string> = {
  denied: 'You did not let the sign-in go on. Nothing was changed; try again when you are ready.',
  expired: 'That sign-in took longer than ten minutes, or began in another browser. Please begin again.',
  noRole: 'You are known to the issuer, but have no role here. Ask whoever runs the comparator for one.',
  unavailable: 'The issuer does not answer at the moment. Try again in a while, or sign in with a token.',
  refused: 'The issuer’s answer did not hold. Please begin again; the comparator’s log has the reason.',
}
