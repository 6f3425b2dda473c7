import type { SignInProblem } from '../../../../vocabulary/api/sign-in-problem.ts'

/** Each says what to do next. */
export const problemWords: Record<SignInProblem, string> = {
  denied: 'Sign-in was cancelled. Nothing was changed; try again when you are ready.',
  expired: 'That sign-in took longer than ten minutes or began in another browser. Please start again.',
  noRole: 'The issuer knows you, but you have no role here. Ask whoever runs the comparator for one.',
  unavailable: 'The issuer or the comparator’s database is not responding. Try again later, or sign in with a token.',
  refused: 'The issuer’s answer was not valid. Please start again; the comparator’s log has the reason.',
}
