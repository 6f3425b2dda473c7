import type { FastifyInstance, HTTPMethods } from 'fastify'
import { failure } from '../jobs/errors.ts'

const methods: HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * Watches which methods the routes of a scope take. What it returns is called behind the last of them, and has the
 * others refused in words and with `allow`, before anything of the request is looked at.
 */
export function refuseOtherMethods(scope: FastifyInstance): () => void {
  const taken = new Map<string, Set<string>>()
  scope.addHook('onRoute', ({ url, method }) => {
    taken.set(url, (taken.get(url) ?? new Set()).union(new Set([method].flat())))
  })
  return () => {
    for (const [url, allowed] of [...taken]) {
      const allow = [...allowed].join(', ')
      scope.route({
        method: methods.filter((method) => !allowed.has(method)),
        url,
        schema: { hide: true },
        onRequest: async (request, reply) => {
          reply.header('allow', allow)
          throw failure('METHOD_NOT_ALLOWED', `${request.url.split('?')[0]} takes ${allow}, not ${request.method}`)
        },
        handler: () => {},
      })
    }
  }
}
