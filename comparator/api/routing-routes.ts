import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { RoutingDocument } from '../../vocabulary/routing.ts'
import { durationPattern, minuteMs, parseDuration } from '../../vocabulary/units.ts'
import { routingDocument, versionOf } from '../jobs/promotion/routing-document.ts'
import type { AppDependencies } from './dependencies.ts'
import { Query } from './query.ts'

const waitMsMax = minuteMs

const routing = {
  description: 'the routing, which differs from the one that `if-none-match` names',
  headers: { etag: { type: 'string', description: 'what to send as `if-none-match` with the next call' } },
  content: { 'application/json': { schema: RoutingDocument } },
}

/**
 * `GET /v1/routing` answers at once; with `If-None-Match` and `wait`, when the routing differs, else 304 after `wait`.
 */
export function routingRoutes(scope: FastifyInstance, { comparator, routingWatch }: AppDependencies): void {
  const app = scope.withTypeProvider<TypeBoxTypeProvider>()
  app.get(
    '/v1/routing',
    {
      config: { role: 'ingest' },
      schema: {
        operationId: 'getRouting',
        tags: ['routing'],
        summary: 'What is live; long polling with `if-none-match`',
        headers: Type.Object({
          'if-none-match': Type.Optional(
            Type.String({ description: 'the `etag` of the routing that you have; left out: the answer comes at once' }),
          ),
        }),
        querystring: Query({
          wait: Type.Optional(
            Type.String({
              pattern: durationPattern,
              description:
                'a duration such as 25s, of which at most a minute counts: how long to wait for another routing',
            }),
          ),
        }),
        response: { 200: routing, 304: Type.Null({ description: 'as it was' }) },
      },
    },
    async (request, reply) => {
      const deadline = performance.now() + Math.min(parseDuration(request.query.wait ?? '0ms'), waitMsMax)
      const known = etagsOf(request.headers['if-none-match'])
      for (;;) {
        const document = await routingDocument(comparator)
        const version = versionOf(document)
        const etag = `"${version}"`
        reply.header('etag', etag)
        const isAny = known.includes('*')
        if (!known.includes(etag) && !isAny) return document
        const left = deadline - performance.now()
        // no change can ever satisfy a `*`, so there is nothing to wait for
        if (isAny || left <= 0 || routingWatch.closed || request.raw.destroyed) return reply.code(304).send(null)
        await routingWatch.next(left, version)
      }
    },
  )
}

/** The ETags of an `If-None-Match`, `*` among them; weak ones too, since a proxy on the way may have weakened ours. */
function etagsOf(header: string | undefined): string[] {
  return (header ?? '').split(',').map((etag) => etag.trim().replace(/^W\//, ''))
}
