import { type Static, Type } from 'typebox'
import { roles } from '../role.ts'
import { Flag, named, nullable, Text, Time } from '../schema.ts'

export const SignInWays = named('SignInWays', 'How people can sign in here.', {
  token: Flag('by a token'),
  oidc: nullable(
    Type.Object({ host: Text("the host of the issuer's URL") }),
    'at an OpenID Connect issuer; null if none is configured',
  ),
})
export type SignInWays = Static<typeof SignInWays>

export const SignedOut = named('SignedOut', 'The session has ended, but not the one at the OpenID Connect issuer.', {
  issuerSignOut: Text('URL of the page on which that one ends; it is opened by the browser'),
})
export type SignedOut = Static<typeof SignedOut>

export const SessionView = named('SessionView', 'Whose token or session this is.', {
  name: Text('of the token, or the person'),
  role: Type.Enum(roles, { description: 'what they may do' }),
  csrf: Type.Optional(
    Text('for a session: the value of `x-understudy-csrf` required with every request that changes something'),
  ),
  expiresAt: Type.Optional(Time('for a session: when it ends')),
})
export type SessionView = Static<typeof SessionView>
