import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { csrfHeader } from '../../../vocabulary/headers.ts'
import { type Role, roleAllows } from '../../../vocabulary/role.ts'
import { failure } from '../../jobs/errors.ts'
import type { Bearer } from './bearer.ts'
import { clearSessionCookie, sessionSecretIn } from './session-cookie.ts'
import { isCsrfOf, type OpenSession, type Sessions } from './sessions.ts'
import type { SignInCheck } from './sign-in-check.ts'

declare module 'fastify' {
  interface FastifyRequest {
    bearer: Bearer | null
    /** Set where the bearer sent a session cookie. */
    session: (OpenSession & { secret: string }) | null
  }
  interface FastifyContextConfig {
    /** The lowest role that may call this route; absent: anyone may. */
    role?: Role | undefined
  }
}

const safeMethods = ['GET', 'HEAD', 'OPTIONS']

/** Guards every route that names a role, before the request's body is read. */
export function authorize(app: FastifyInstance, check: SignInCheck, sessions: Sessions): void {
  app.decorateRequest('bearer', null)
  app.decorateRequest('session', null)
  app.addHook('onRequest', async (request, reply) => {
    const { role } = request.routeOptions.config
    if (!role) return
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
    // pages deliver nothing; mirrors and label sources have tokens of their own
    const secret = role === 'ingest' ? undefined : sessionSecretIn(request)
    const isSession = request.headers.authorization === undefined && secret !== undefined
    const bearer = isSession ? await holder(request, reply, secret) : await bearerOf(request, reply)
    if (!roleAllows(bearer.role, role)) {
      throw failure('FORBIDDEN', `this needs the role ${role}; ${bearer.name} has ${bearer.role}`)
    }
    request.bearer = { name: bearer.name, role: bearer.role }
  })

  async function bearerOf(request: FastifyRequest, reply: FastifyReply): Promise<Bearer> {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined) {
      throw failure('UNAUTHENTICATED', 'expected the header Authorization: Bearer TOKEN, or the cookie of a session')
    }
    return check.identify(token, request, reply)
  }

  async function holder(request: FastifyRequest, reply: FastifyReply, secret: string): Promise<Bearer> {
    const session = await sessions.find(secret)
    if (!session) {
      clearSessionCookie(request, reply)
      throw failure('UNAUTHENTICATED', 'this session has ended; sign in again')
    }
    if (!safeMethods.includes(request.method) && !isCsrfOf(secret, request.headers[csrfHeader])) {
      throw failure('CSRF_MISMATCH', `expected the header ${csrfHeader} with the csrf of GET /v1/session`)
    }
    request.session = { ...session, secret }
    return session
  }
}

/** The bearer of a request to a route that names a role; throws for any other route. */
export function actorOf(request: FastifyRequest): Bearer {
  if (!request.bearer) throw new Error('a route without a role has no bearer')
  return request.bearer
}
