import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { FunnelView } from '../../vocabulary/funnel.ts'
import { TimelineView } from '../../vocabulary/timeline.ts'
import { viewFunnel } from '../jobs/view-funnel.ts'
import { viewTimeline } from '../jobs/view-timeline.ts'
import type { AppDependencies } from './dependencies.ts'
import { ByName, validationNamed } from './params.ts'

/** What stands beside a validation's figures: what happened meanwhile, and where its exchanges went. */
export function timelineRoutes(scope: FastifyInstance, { comparator, judgements }: AppDependencies): void {
  const app = scope.withTypeProvider<TypeBoxTypeProvider>()
  const config = { role: 'viewer' as const }

  app.get(
    '/v1/validations/:name/timeline',
    {
      config,
      schema: {
        summary: 'Rollout steps, changes of versions and of the policy',
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
        summary: "Where the window's exchanges went: seen, sampled, answered by both, compared",
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
