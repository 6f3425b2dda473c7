import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { SessionView, SignedOut, SignInWays } from '../../../vocabulary/api/session.ts'
import { roleAllows } from '../../../vocabulary/role.ts'
import type { Bytes } from '../../../vocabulary/units.ts'
import { failure } from '../../jobs/errors.ts'
import type { AppDependencies } from '../dependencies.ts'
import { actorOf } from './authorize.ts'
import { beginSession, type SessionParts, viewSession } from './begin-session.ts'
import { oidcRoutes, oidcSignIn } from './oidc-routes.ts'
import { signOutAddress } from './oidc-sign-in.ts'
import { clearSessionCookie } from './session-cookie.ts'

const tags = ['session']
/** Small, because anyone may send one: it holds no more than a token. */
const signInBytesMax: Bytes = 32 * 1024

/** Sign-in and sign-out of people: trades a token or a sign-in at the issuer for a cookie that scripts cannot read. */
export function sessionRoutes(scope: FastifyInstance, dependencies: AppDependencies, parts: SessionParts): void {
  const app = scope.withTypeProvider<TypeBoxTypeProvider>()
  const { auth } = dependencies
  const { check, sessions } = parts
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })

  app.get(
    '/v1/session',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'getSession',
        tags,
        summary: 'Who this token or session belongs to',
        response: { 200: SessionView },
      },
    },
    async (request) => (request.session ? viewSession(request.session, request.session.secret) : actorOf(request)),
  )

  app.get(
    '/v1/session/ways',
    {
      schema: {
        operationId: 'listSignInWays',
        tags,
        summary: 'How people can sign in here',
        response: { 200: SignInWays },
      },
    },
    async () => {
      const oidc = oidcSignIn(auth, parts)
      return { token: auth.tokens.length > 0 || !oidc, oidc: oidc ? { host: new URL(oidc.issuer.url).host } : null }
    },
  )

  app.post(
    '/v1/session',
    {
      bodyLimit: signInBytesMax,
      config: { errors: ['UNAUTHENTICATED', 'FORBIDDEN', 'TOO_MANY_FAILURES', 'INTERNAL', 'UNAVAILABLE'] },
      schema: {
        operationId: 'signIn',
        tags,
        summary: 'Sign in on a page: exchanges a token for a session cookie',
        body: Type.Object({
          token: Type.String({
            minLength: 1,
            maxLength: 16_384,
            pattern: '^\\S+$',
            description: 'a bearer token, of 1 to 16,384 characters without spaces',
          }),
        }),
        response: { 200: SessionView },
      },
    },
    async (request, reply) => {
      const identity = await check.identify(request.body.token, request, reply)
      if (!roleAllows(identity.role, 'viewer')) {
        throw failure('FORBIDDEN', `a session needs the role viewer; ${identity.name} has ${identity.role}`)
      }
      return beginSession(parts, request, reply, identity)
    },
  )

  app.delete(
    '/v1/session',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'signOut',
        tags,
        summary: 'Sign out',
        response: { 200: SignedOut, 204: Type.Null({ description: 'the session has ended' }) },
      },
    },
    async (request, reply) => {
      const idToken = request.session ? await sessions.end(request.session.secret) : undefined
      clearSessionCookie(request, reply)
      const oidc = request.session?.isOfIssuer ? oidcSignIn(auth, parts) : undefined
      const issuerSignOut = oidc ? await signOutAddress(oidc.issuer, oidc.config, idToken) : null
      return issuerSignOut === null ? reply.code(204).send(null) : { issuerSignOut }
    },
  )

  oidcRoutes(scope, dependencies, parts)
}
