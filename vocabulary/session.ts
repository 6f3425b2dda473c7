import { type Static, Type } from 'typebox'
import { roles } from './role.ts'
import { named, nullable, Time } from './schema.ts'

/** `GET /v1/session/ways`: how people can sign in here. */
export const SignInWays = named('SignInWays', {
  token: Type.Boolean(),
  /** `host`: of the issuer, as people know it. */
  oidc: nullable(Type.Object({ host: Type.String() })),
})
export type SignInWays = Static<typeof SignInWays>

/** `GET /v1/session`: who the bearer of this token, or the holder of this session, is. */
export const SessionView = named('SessionView', {
  name: Type.String(),
  role: Type.Enum(roles),
  /** Of a session: what `x-understudy-csrf` must say, and when the session ends. */
  csrf: Type.Optional(Type.String()),
  expiresAt: Type.Optional(Time),
})
export type SessionView = Static<typeof SessionView>
