import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { SignInProblem } from '../../../vocabulary/api/sign-in-problem.ts'
import { roleAllows } from '../../../vocabulary/role.ts'
import { failure } from '../../jobs/errors.ts'
import type { AppDependencies } from '../dependencies.ts'
import { beginSession, type SessionParts } from './begin-session.ts'
import { addressAtIssuer, beginAttempt, finishAttempt, problemOf, type SignInAttempt } from './oidc-sign-in.ts'
import { cameOverTls, cookieName, cookieOptions } from './session-cookie.ts'

const tags = ['session']
const attemptPath = '/v1/session/oidc'
const attemptSecondsMax = 600
/** A browser's other attempts, on other tabs. All are sent with every request. */
const attemptsMax = 4
/** A fragment of the dashboard's URL: cannot lead to another site or inject a header. */
const placePattern = '^#/[!-~]*$'

/** The issuer where people sign in, if one is configured. */
export function oidcSignIn({ oidc }: AppDependencies['auth'], { issuer }: SessionParts) {
  return oidc?.clientId === undefined || !issuer ? undefined : { issuer, config: oidc }
}

/** The redirects of a browser sign-in, to the issuer and back. */
export function oidcRoutes(
  scope: FastifyInstance,
  { auth, comparator: { logger } }: AppDependencies,
  parts: SessionParts,
): void {
  const app = scope.withTypeProvider<TypeBoxTypeProvider>()
  const { check } = parts
  const redirectUri = (request: FastifyRequest) =>
    `${auth.oidc?.publicUrl?.replace(/\/$/, '') ?? `${cameOverTls(request) ? 'https' : 'http'}://${request.host}`}${attemptPath}/callback`
  // the browser returns from another site, and would not send a Strict cookie along
  const attemptOptions = (request: FastifyRequest) => cookieOptions(request, 'lax')
  const attemptCookie = (request: FastifyRequest, state: string) =>
    `${cookieName(request, 'understudy-sign-in')}-${state.slice(0, 8)}`
  const configured = () => {
    const oidc = oidcSignIn(auth, parts)
    if (!oidc) {
      throw failure('NOT_FOUND', 'sign-in at an OpenID Connect issuer is not configured: set comparator.oidc.clientId')
    }
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
        summary: 'Sign in at the OpenID Connect issuer; opened by a browser',
        querystring: Type.Object({
          return: Type.String({
            maxLength: 1000,
            pattern: placePattern,
            default: '#/',
            description: 'the place on the dashboard, beginning with #/, to which the browser returns',
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
        const others = Object.keys(request.cookies).filter((name) => name.startsWith(attemptCookie(request, '')))
        if (others.length >= attemptsMax) {
          for (const name of others) reply.clearCookie(name, attemptOptions(request))
        }
        reply.setCookie(attemptCookie(request, attempt.state), encodeAttempt(attempt), {
          ...attemptOptions(request),
          maxAge: attemptSecondsMax,
        })
        return reply.redirect(address)
      } catch (error) {
        logger.warn({ err: error }, 'sign-in at the OpenID Connect issuer is unavailable')
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
        // open to further parameters, as an issuer may add any
        querystring: Type.Object({
          code: FromIssuer('the authorization code'),
          state: FromIssuer('the state that this sign-in sent to the issuer'),
          error: FromIssuer("the issuer's error"),
          error_description: FromIssuer("the issuer's words on it"),
          iss: FromIssuer('the issuer'),
        }),
        response: { 302: Type.Null({ description: 'to the dashboard' }) },
      },
    },
    async (request, reply) => {
      const { issuer, config } = configured()
      check.refuseTooMany(request, reply, '')
      const cookie = attemptCookie(request, request.query.state ?? '')
      const attempt = decodeAttempt(request.cookies[cookie])
      if (attempt) reply.clearCookie(cookie, attemptOptions(request))
      if (request.query.error === 'access_denied') return backWith(reply, 'denied')
      if (!attempt) return backWith(reply, 'expired')
      try {
        const bearer = await finishAttempt(issuer, config, attempt, {
          ...request.query,
          redirectUri: redirectUri(request),
        })
        if (!roleAllows(bearer.role, 'viewer')) return backWith(reply, 'noRole')
        await beginSession(parts, request, reply, { ...bearer, credential: check.book.oidcCredential!, until: null })
        return reply.redirect(`/${attempt.returnTo}`)
      } catch (error) {
        const problem = problemOf(error)
        if (problem === 'refused') check.failed(request)
        logger.warn({ err: error, problem }, 'a sign-in at the OpenID Connect issuer failed')
        return backWith(reply, problem)
      }
    },
  )
}

function encodeAttempt(attempt: SignInAttempt): string {
  return Buffer.from(JSON.stringify(attempt)).toString('base64url')
}

function decodeAttempt(text: string | undefined): SignInAttempt | undefined {
  try {
    const { state, nonce, verifier, returnTo } = JSON.parse(Buffer.from(text ?? '', 'base64url').toString())
    const isWhole = [state, nonce, verifier].every((part) => typeof part === 'string' && part.length === 43)
    return isWhole && new RegExp(placePattern).test(returnTo) ? { state, nonce, verifier, returnTo } : undefined
  } catch {
    return undefined
  }
}
