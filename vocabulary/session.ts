import { type Static, Type } from 'typebox'
import { roles } from './role.ts'
import { Flag, named, nullable, Text, Time } from './schema.ts'

export const SignInWays = named('SignInWays', 'How people can sign in here.', {
  token: Flag('by a token'),
  oidc: nullable(
    Type.Object({ host: Text('of the issuer, as people know it') }),
    'at an OpenID Connect issuer; null where none is configured',
  ),
})
export type SignInWays = Static<typeof SignInWays>

export const SessionView = named('SessionView', 'Who the bearer of a token, or the holder of a session, is.', {
  name: Text('of the token, or the person'),
  role: Type.Enum(roles, { description: 'what they may do' }),
  csrf: Type.Optional(Text('of a session: what `x-understudy-csrf` must say with everything that changes something')),
  expiresAt: Type.Optional(Time('of a session: when it ends')),
})
export type SessionView = Static<typeof SessionView>
