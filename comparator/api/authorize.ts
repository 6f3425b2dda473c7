import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../runtime/api-error.ts'
import { type Role, roleAllows } from '../../vocabulary/role.ts'
import { failure } from '../jobs/errors.ts'
import type { AuthFailures } from './auth-failures.ts'
import { type Bearer, digestOfToken, type FindBearer } from './tokens.ts'

declare module 'fastify' {
  interface FastifyRequest {
    bearer: Bearer | null
  }
  interface FastifyContextConfig {
    /** The least role that may call this route; absent: anyone. */
    role?: Role | undefined
  }
}

/** Every route that names a role is guarded before anything of the request is read. */
export function authorize(app: FastifyInstance, bearerOf: FindBearer, failures: AuthFailures): void {
  app.decorateRequest('bearer', null)
  app.addHook('onRequest', async (request, reply) => {
    const { role } = request.routeOptions.config
    if (!role) return
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined) throw failure('UNAUTHENTICATED', 'expected the header Authorization: Bearer TOKEN')
    const digest = digestOfToken(token)
    const waitMs = failures.waitMs(request.ip, digest)
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000)
      reply.header('retry-after', String(seconds))
      throw failure('TOO_MANY_FAILURES', `too many wrong tokens from ${request.ip}; try again in ${seconds} s`)
    }
    const bearer = await bearerOf(token, digest).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') failures.failed(request.ip)
      throw error
    })
    failures.accepted(request.ip, digest)
    if (!roleAllows(bearer.role, role)) {
      throw failure('FORBIDDEN', `${bearer.name} is ${bearer.role}; this takes the role ${role}`)
    }
    request.bearer = bearer
  })
}

/** The bearer of a route that names a role. */
export function actorOf(request: FastifyRequest): Bearer {
  if (!request.bearer) throw new Error('a route without a role has no bearer')
  return request.bearer
}
