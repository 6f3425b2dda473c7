import { type Static, Type } from 'typebox'
import { named, nullable } from './schema.ts'

/** What a page sends beside its session's cookie with everything that changes something. */
export const csrfHeader = 'x-understudy-csrf'

/** `GET /v1/session/ways`: how people can sign in here. */
export const SignInWays = named('SignInWays', {
  token: Type.Boolean(),
  /** `host`: of the issuer, as people know it. */
  oidc: nullable(Type.Object({ host: Type.String() })),
})
export type SignInWays = Static<typeof SignInWays>

/** Why a sign-in at the issuer came to nothing: `#/?signIn=WORD` of the page that it leads back to. */
export const signInProblems = ['denied', 'expired', 'noRole', 'unavailable', 'refused'] as const
export type SignInProblem = (typeof signInProblems)[number]
