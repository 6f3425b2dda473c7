/** Why a sign-in at the issuer failed: `#signIn=WORD` in the address of the page that it leads back to. */
export const signInProblems = ['denied', 'expired', 'noRole', 'unavailable', 'refused'] as const
export type SignInProblem = (typeof signInProblems)[number]
