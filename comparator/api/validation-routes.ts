import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { FunnelView } from '../../vocabulary/api/funnel.ts'
import { TimelineView } from '../../vocabulary/api/timeline.ts'
import { ValidationsView, ValidationView } from '../../vocabulary/api/validation.ts'
import { viewFunnel } from '../jobs/views/view-funnel.ts'
import { viewTimeline } from '../jobs/views/view-timeline.ts'
import { viewValidation } from '../jobs/views/view-validation.ts'
import type { AppDependencies } from './dependencies.ts'
import { ByName, validationNamed } from './params.ts'

const config = { role: 'viewer' as const }
const tags = ['validations']

/** Each validation's state, history and funnel of exchanges. */
export function validationRoutes(scope: FastifyInstance, { comparator, judgements, overview }: AppDependencies): void {
  const app = scope.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/v1/validations',
    {
      config,
      schema: { operationId: 'listValidations', tags, summary: 'Every validation', response: { 200: ValidationsView } },
    },
    async () => ({ validations: await overview.list() }),
  )

  app.get(
    '/v1/validations/:name',
    {
      config,
      schema: {
        operationId: 'getValidation',
        tags,
        summary: 'One validation',
        params: ByName,
        response: { 200: ValidationView },
      },
    },
    async (request) => {
      const validation = validationNamed(comparator, request.params.name)
      return viewValidation(comparator, validation, await judgements.of(validation))
    },
  )

  app.get(
    '/v1/validations/:name/timeline',
    {
      config,
      schema: {
        operationId: 'getTimeline',
        tags,
        summary: 'Rollout steps, and changes of models and policy',
        params: ByName,
        response: { 200: TimelineView },
      },
    },
    async (request) => ({
      events: await viewTimeline(comparator, validationNamed(comparator, request.params.name)),
    }),
  )

  app.get(
    '/v1/validations/:name/funnel',
    {
      config,
      schema: {
        operationId: 'getFunnel',
        tags,
        summary: "What became of the window's exchanges: seen, sampled, answered by both, compared",
        params: ByName,
        response: { 200: FunnelView },
      },
    },
    async (request) => {
      const validation = validationNamed(comparator, request.params.name)
      return viewFunnel(comparator, validation, await judgements.of(validation))
    },
  )
}
