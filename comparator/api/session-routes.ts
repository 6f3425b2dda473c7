import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { roleAllows } from '../../vocabulary/role.ts'
import { SessionView, SignInWays } from '../../vocabulary/session.ts'
import type { SignInProblem } from '../../vocabulary/sign-in-problem.ts'
import type { Bytes } from '../../vocabulary/units.ts'
import { failure } from '../jobs/errors.ts'
import { actorOf } from './authorize.ts'
import type { AppDependencies } from './dependencies.ts'
import type { OidcIssuer } from './oidc-issuer.ts'
import { addressAtIssuer, beginAttempt, finishAttempt, problemOf, type SignInAttempt } from './oidc-sign-in.ts'
import {
  cameOverTls,
  clearSessionCookie,
  cookieName,
  cookieOptions,
  sessionSecretIn,
  setSessionCookie,
} from './session-cookie.ts'
import { csrfOf, type OpenSession, type Sessions } from './sessions.ts'
import type { SignInCheck } from './sign-in-check.ts'
import type { Identity } from './tokens.ts'

const tags = ['session']
const attemptCookie = 'understudy-sign-in'
const attemptPath = '/v1/session/oidc'
const attemptSecondsMax = 600
/** Anyone may send one: a token and its quotes, no more. */
const signInBytesMax: Bytes = 32 * 1024
/** A place on the page, as a browser spells it: nothing that could lead elsewhere or end a header's line. */
const placePattern = '^#/[!-~]*$'

interface SessionParts {
  check: SignInCheck
  sessions: Sessions
  issuer: OidcIssuer | undefined
}

/** Signing in and out on a page: a token, or the issuer's word, against a cookie that no script can read. */
export function sessionRoutes(
  scope: FastifyInstance,
  { auth, comparator: { logger } }: AppDependencies,
  { check, sessions, issuer }: SessionParts,
): void {
  const app = scope.withTypeProvider<TypeBoxTypeProvider>()
  const oidc = auth.oidc?.clientId === undefined || !issuer ? undefined : { issuer, config: auth.oidc }
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })

  /** Another session of this browser ends with it, so that none is left behind unseen. */
  async function begin(request: FastifyRequest, reply: FastifyReply, identity: Identity): Promise<SessionView> {
    const before = sessionSecretIn(request)
    if (before !== undefined) await sessions.end(before)
    const { secret, session } = await sessions.open(identity)
    setSessionCookie(request, reply, secret, new Date(session.expiresAt))
    logger.info({ actor: session.name, role: session.role }, 'signed in')
    return viewSession(session, secret)
  }

  app.get(
    '/v1/session',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'getSession',
        tags,
        summary: 'Who this token, or this session, is',
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
        summary: 'Sign in on a page: a token for a cookie',
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
        throw failure('FORBIDDEN', `${identity.name} is ${identity.role}; a session takes the role viewer`)
      }
      return begin(request, reply, identity)
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
        response: { 204: Type.Null({ description: 'the session has ended' }) },
      },
    },
    async (request, reply) => {
      if (request.session) await sessions.end(request.session.secret)
      clearSessionCookie(request, reply)
      return reply.code(204).send(null)
    },
  )

  const redirectUri = (request: FastifyRequest) =>
    `${auth.oidc?.publicUrl?.replace(/\/$/, '') ?? `${cameOverTls(request) ? 'https' : 'http'}://${request.host}`}${attemptPath}/callback`
  // the way back from the issuer is another site's link: Strict would leave it behind
  const attemptOptions = (request: FastifyRequest) => cookieOptions(request, 'lax')
  const configured = () => {
    if (!oidc) throw failure('NOT_FOUND', 'no sign-in at an issuer is configured: comparator.oidc.clientId')
    return oidc
  }
  const backWith = (reply: FastifyReply, problem: SignInProblem) => reply.redirect(`/#signIn=${problem}`)

  app.get(
    attemptPath,
    {
      config: { errors: ['NOT_FOUND'] },
      schema: {
        operationId: 'signInAtIssuer',
        tags,
        summary: 'Sign in at the OpenID Connect issuer: where a browser goes',
        querystring: Type.Object({
          return: Type.String({
            maxLength: 1000,
            pattern: placePattern,
            default: '#/',
            description: 'a place on the dashboard that begins with #/, where the browser comes back to',
          }),
        }),
        response: { 302: Type.Null({ description: 'to the issuer' }) },
      },
    },
    async (request, reply) => {
      const { issuer, config } = configured()
      const attempt = beginAttempt(request.query.return)
      try {
        const address = await addressAtIssuer(issuer, config, attempt, redirectUri(request))
        reply.setCookie(cookieName(request, attemptCookie), spellAttempt(attempt), {
          ...attemptOptions(request),
          maxAge: attemptSecondsMax,
        })
        return reply.redirect(address)
      } catch (error) {
        logger.warn({ err: error }, 'nobody can sign in at the issuer')
        return backWith(reply, problemOf(error))
      }
    },
  )

  const FromIssuer = (description: string) => Type.Optional(Type.String({ maxLength: 8_192, description }))
  app.get(
    `${attemptPath}/callback`,
    {
      config: { errors: ['NOT_FOUND', 'TOO_MANY_FAILURES'] },
      schema: {
        operationId: 'finishSignIn',
        tags,
        summary: 'Where the issuer sends a browser back to',
        // an issuer may add what it likes
        querystring: Type.Object({
          code: FromIssuer('what the issuer gives tokens for'),
          state: FromIssuer('what this sign-in gave the issuer to send back'),
          error: FromIssuer('why the issuer let nobody in'),
          iss: FromIssuer('the issuer'),
        }),
        response: { 302: Type.Null({ description: 'to the dashboard' }) },
      },
    },
    async (request, reply) => {
      const { issuer, config } = configured()
      check.refuseTooMany(request, reply, '')
      const attempt = readAttempt(request.cookies[cookieName(request, attemptCookie)])
      reply.clearCookie(cookieName(request, attemptCookie), attemptOptions(request))
      if (!attempt) return backWith(reply, 'expired')
      if (request.query.error === 'access_denied') return backWith(reply, 'denied')
      try {
        const bearer = await finishAttempt(issuer, config, attempt, request.query, redirectUri(request))
        if (!roleAllows(bearer.role, 'viewer')) return backWith(reply, 'noRole')
        await begin(request, reply, { ...bearer, credential: check.book.oidcCredential!, until: null })
        return reply.redirect(`/${attempt.returnTo}`)
      } catch (error) {
        const problem = problemOf(error)
        if (problem === 'refused') check.failed(request)
        logger.warn({ err: error, problem }, 'a sign-in at the issuer came to nothing')
        return backWith(reply, problem)
      }
    },
  )
}

function viewSession({ name, role, expiresAt }: OpenSession, secret: string): SessionView {
  return { name, role, csrf: csrfOf(secret), expiresAt: new Date(expiresAt).toISOString() }
}

function spellAttempt(attempt: SignInAttempt): string {
  return Buffer.from(JSON.stringify(attempt)).toString('base64url')
}

function readAttempt(text: string | undefined): SignInAttempt | undefined {
  try {
    const { state, nonce, verifier, returnTo } = JSON.parse(Buffer.from(text ?? '', 'base64url').toString())
    const isWhole = [state, nonce, verifier].every((part) => typeof part === 'string' && part.length === 43)
    return isWhole && new RegExp(placePattern).test(returnTo) ? { state, nonce, verifier, returnTo } : undefined
  } catch {
    return undefined
  }
}
