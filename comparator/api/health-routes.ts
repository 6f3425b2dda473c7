import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { type ErrorCode, failure } from '../jobs/errors.ts'
import type { AppDependencies } from './dependencies.ts'

const ofDatabase = { errors: ['INTERNAL', 'UNAVAILABLE'] as ErrorCode[] }

const tags = ['health']
const Status = Type.Object({ status: Type.String({ description: '`ok`, or `ready`' }) }, { description: 'all is well' })
const text = { description: 'in the text format', content: { 'text/plain': { schema: Type.String() } } }

export function healthRoutes(app: FastifyInstance, { comparator, metrics, routingWatch }: AppDependencies): void {
  app.get(
    '/healthz',
    { schema: { operationId: 'getHealth', tags, summary: 'The process is alive', response: { 200: Status } } },
    async () => ({
      status: 'ok',
    }),
  )

  app.get(
    '/readyz',
    {
      config: ofDatabase,
      schema: { operationId: 'getReadiness', tags, summary: 'The database answers', response: { 200: Status } },
    },
    async () => {
      if (routingWatch.closed) throw failure('UNAVAILABLE', 'stopping')
      await sql`select 1`.execute(comparator.db)
      return { status: 'ready' }
    },
  )

  app.get(
    '/metrics',
    {
      config: ofDatabase,
      schema: { operationId: 'getPrometheusMetrics', tags, summary: 'Prometheus metrics', response: { 200: text } },
    },
    async (_request, reply) => {
      reply.header('content-type', metrics.registry.contentType)
      return metrics.registry.metrics()
    },
  )
}
