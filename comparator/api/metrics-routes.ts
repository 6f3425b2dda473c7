import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { MetricsView } from '../../vocabulary/api/metrics.ts'
import { PairsView } from '../../vocabulary/api/pairs.ts'
import { SlicesView } from '../../vocabulary/slice/slices.ts'
import { durationPattern, parseDuration } from '../../vocabulary/units.ts'
import { viewMetrics } from '../jobs/views/view-metrics.ts'
import { viewPairs } from '../jobs/views/view-pairs.ts'
import { viewSlices } from '../jobs/views/view-slices.ts'
import type { AppDependencies } from './dependencies.ts'
import { ByName, validationNamed } from './params.ts'
import { Limit, Output, Query, Slice, Span, spanOf } from './query.ts'

const config = { role: 'viewer' as const }
const tags = ['metrics']

/** A validation's metrics: totals, over time, by slice, and as pairs. */
export function metricsRoutes(scope: FastifyInstance, { comparator, answers }: AppDependencies): void {
  const app = scope.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/v1/validations/:name/metrics',
    {
      config,
      schema: {
        operationId: 'getMetrics',
        tags,
        summary: 'Totals, bounds, series and distributions of the current window, for all traffic or one slice',
        params: ByName,
        querystring: Query({
          ...Span,
          step: Type.Optional(
            Type.String({
              pattern: durationPattern,
              description:
                'a duration such as 1h: the length of a step, longer if there would be over 1,000, or if rollups that ' +
                'short are not kept; left out: some 60 steps',
            }),
          ),
          slice: Slice,
          output: Output,
        }),
        response: { 200: MetricsView },
      },
    },
    async (request) => {
      const { from, to, step, slice, output } = request.query
      const validation = validationNamed(comparator, request.params.name)
      const query = {
        ...spanOf({ from, to }),
        ...(step !== undefined && { stepMs: parseDuration(step) }),
        slice,
        output,
      }
      return answers.of(validation, ['metrics', query], () => viewMetrics(comparator, validation, query))
    },
  )

  app.get(
    '/v1/validations/:name/slices',
    {
      config,
      schema: {
        operationId: 'getSlices',
        tags,
        summary: 'One metric of the current window in every slice of the traffic, worst first',
        params: ByName,
        querystring: Query({
          metric: Type.Optional(
            Type.String({
              maxLength: 200,
              description: "the name of a metric, at most 200 characters; left out: the main output's main metric",
            }),
          ),
          ...Span,
        }),
        response: { 200: SlicesView },
      },
    },
    async (request) => {
      const { metric, from, to } = request.query
      const validation = validationNamed(comparator, request.params.name)
      const query = { ...(metric !== undefined && { metric }), ...spanOf({ from, to }) }
      return answers.of(validation, ['slices', query], () => viewSlices(comparator, validation, query))
    },
  )

  app.get(
    '/v1/validations/:name/pairs',
    {
      config,
      schema: {
        operationId: 'listPairs',
        tags,
        summary: "A uniform sample of both sides' answers, as numbers",
        params: ByName,
        querystring: Query({ limit: Limit(500, 500, 'pairs'), slice: Slice, output: Output }),
        response: { 200: PairsView },
      },
    },
    async (request) => viewPairs(comparator, validationNamed(comparator, request.params.name), request.query),
  )
}
