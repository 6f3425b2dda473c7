import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { ObservationDetail } from '../../vocabulary/api/observation-detail.ts'
import { comparisonKinds, observationOrders } from '../../vocabulary/api/observation-query.ts'
import { ObservationPage } from '../../vocabulary/api/observation-view.ts'
import { viewObservationDetail } from '../jobs/views/view-observation.ts'
import { viewObservations } from '../jobs/views/view-observations.ts'
import type { AppDependencies } from './dependencies.ts'
import { ByName, Uuid, validationNamed } from './params.ts'
import { Limit, Query, Slice, Span, spanOf } from './query.ts'

const config = { role: 'viewer' as const }
const tags = ['observations']

export function observationRoutes(scope: FastifyInstance, { comparator }: AppDependencies): void {
  const app = scope.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/v1/validations/:name/observations',
    {
      config,
      schema: {
        operationId: 'listObservations',
        tags,
        summary: 'A page of observations: the worst, the newest, or a uniform sample',
        params: ByName,
        querystring: Query({
          order: Type.Enum([...observationOrders], {
            default: 'newest',
            description:
              'of the current window the worst (`worst`) or a uniform sample of all (`typical`), or of all windows ' +
              'the `newest`',
          }),
          slice: Slice,
          comparison: Type.Optional(
            Type.Enum([...comparisonKinds], { description: 'only observations with this result; left out: all' }),
          ),
          ...Span,
          limit: Limit(200, 50, 'observations'),
          cursor: Type.Optional(
            Type.String({ maxLength: 500, description: 'the nextCursor of the page before; left out: the first page' }),
          ),
        }),
        response: { 200: ObservationPage },
      },
    },
    async (request) => {
      const { from, to, ...query } = request.query
      const validation = validationNamed(comparator, request.params.name)
      return viewObservations(comparator, validation, { ...query, ...spanOf({ from, to }) })
    },
  )

  app.get(
    '/v1/observations/:id',
    {
      config,
      schema: {
        operationId: 'getObservation',
        tags,
        summary: 'One observation, with its bodies if they were kept',
        params: Type.Object({ id: Uuid('of an observation') }),
        response: { 200: ObservationDetail },
      },
    },
    async (request) => viewObservationDetail(comparator, request.params.id),
  )
}
