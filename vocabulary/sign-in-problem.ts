/** Why a sign-in at the issuer came to nothing: `#signIn=WORD` of the page that it leads back to. */
export const signInProblems = ['denied', 'expired', 'noRole', 'unavailable', 'refused'] as const
export type SignInProblem = (typeof signInProblems)[number]
