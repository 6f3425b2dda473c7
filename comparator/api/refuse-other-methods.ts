import { METHODS } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { failure } from '../jobs/errors.ts'

/** All that Node reads; it hands a CONNECT to no route, and a HEAD goes where a GET does. */
const methods = METHODS.filter((method) => method !== 'CONNECT' && method !== 'HEAD')

/**
 * Notes the methods that the routes of a scope take. Call the returned function after the last route is registered: it
 * has all other methods refused, with an `allow` header, before anything else of the request is checked.
 */
export function refuseOtherMethods(scope: FastifyInstance): () => void {
  for (const method of methods) if (!scope.supportedMethods.includes(method)) scope.addHttpMethod(method)
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
