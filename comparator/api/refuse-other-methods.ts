import type { FastifyInstance, HTTPMethods } from 'fastify'
import { failure } from '../jobs/errors.ts'

const methods: HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * Notes the methods that the routes of a scope take. Call the returned function after the last route is registered: it
 * has all other methods refused, with an `allow` header, before anything else of the request is checked.
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
