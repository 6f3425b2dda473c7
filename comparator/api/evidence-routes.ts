import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { SessionView } from '../../vocabulary/api.ts'
import { durationPattern, parseDuration } from '../../vocabulary/units.ts'
import { failure } from '../jobs/errors.ts'
import { evaluateNow } from '../jobs/evaluate-gate.ts'
import { replayGate } from '../jobs/replay-gate.ts'
import { viewMetrics } from '../jobs/view-metrics.ts'
import { viewObservationDetail, viewObservations } from '../jobs/view-observations.ts'
import { viewValidation } from '../jobs/view-validation.ts'
import { judgeWindow, viewWindows } from '../jobs/view-windows.ts'
import { actorOf } from './authorize.ts'
import type { AppDependencies } from './dependencies.ts'
import { ByName, Uuid, validationNamed } from './params.ts'

/** What people and dashboards read. */
export function evidenceRoutes(scope: FastifyInstance, { comparator }: AppDependencies): void {
  const app = scope.withTypeProvider<TypeBoxTypeProvider>()
  const viewer = { config: { role: 'viewer' as const } }
  const security = [{ bearer: [] }]

  app.get('/v1/session', { ...viewer, schema: { summary: 'Who this token is', security } }, async (request) => {
    return actorOf(request) satisfies SessionView
  })

  app.get('/v1/validations', { ...viewer, schema: { summary: 'Every validation', security } }, async () => {
    const validations = []
    for (const validation of comparator.validations.values())
      validations.push(await viewValidation(comparator, validation))
    return { validations }
  })

  app.get(
    '/v1/validations/:name',
    { ...viewer, schema: { summary: 'One validation', params: ByName, security } },
    async (request) => viewValidation(comparator, validationNamed(comparator, request.params.name)),
  )

  app.get(
    '/v1/validations/:name/gate',
    { ...viewer, schema: { summary: "The gate's evaluation, with its arithmetic", params: ByName, security } },
    async (request) => (await evaluateNow(comparator, validationNamed(comparator, request.params.name))).evaluation,
  )

  app.get(
    '/v1/validations/:name/gate/replay',
    {
      ...viewer,
      schema: {
        summary: 'Stored evaluations judged once more, newest first, and where they differ',
        params: ByName,
        querystring: Type.Object({
          id: Type.Optional(Uuid),
          since: Type.Optional(Type.String({ description: 'RFC 3339 time; default: all that are kept' })),
          limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
        }),
        security,
      },
    },
    async (request) => {
      const { id, since, limit } = request.query
      const from = since === undefined ? 0 : parseTime('since', since)
      const validation = validationNamed(comparator, request.params.name)
      return replayGate(comparator, validation, { id, since: new Date(from), limit })
    },
  )

  app.get(
    '/v1/validations/:name/windows',
    { ...viewer, schema: { summary: 'All spans of evidence, and why each began', params: ByName, security } },
    async (request) => ({ windows: await viewWindows(comparator, validationNamed(comparator, request.params.name)) }),
  )

  app.get(
    '/v1/validations/:name/windows/:window/gate',
    {
      ...viewer,
      schema: {
        summary: 'The gate over one of them, under the policy that it had',
        params: Type.Object({ name: Type.String(), window: Type.Integer({ minimum: 1 }) }),
        security,
      },
    },
    async (request) => {
      const { name, window } = request.params
      return judgeWindow(comparator, validationNamed(comparator, name), window)
    },
  )

  app.get(
    '/v1/validations/:name/metrics',
    {
      ...viewer,
      schema: {
        summary: 'Totals, bounds, series and distributions',
        params: ByName,
        querystring: Type.Object({
          from: Type.Optional(Type.String({ description: 'RFC 3339 time; default: where the gate begins to judge' })),
          to: Type.Optional(Type.String({ description: 'RFC 3339 time; default: the newest observation' })),
          step: Type.Optional(Type.String({ pattern: durationPattern, description: 'a duration such as 1h' })),
        }),
        security,
      },
    },
    async (request) => {
      const { from, to, step } = request.query
      return viewMetrics(comparator, validationNamed(comparator, request.params.name), {
        ...(from !== undefined && { from: parseTime('from', from) }),
        ...(to !== undefined && { to: parseTime('to', to) }),
        ...(step !== undefined && { stepMs: parseDuration(step) }),
      })
    },
  )

  app.get(
    '/v1/validations/:name/observations',
    {
      ...viewer,
      schema: {
        summary: 'A page of observations, worst or newest first',
        params: ByName,
        querystring: Type.Object({
          order: Type.Enum(['worst', 'newest'], { default: 'newest' }),
          limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
          cursor: Type.Optional(Type.String({ maxLength: 500 })),
        }),
        security,
      },
    },
    async (request) => viewObservations(comparator, validationNamed(comparator, request.params.name), request.query),
  )

  app.get(
    '/v1/observations/:id',
    {
      ...viewer,
      schema: { summary: 'One observation, with bodies where kept', params: Type.Object({ id: Uuid }), security },
    },
    async (request) => viewObservationDetail(comparator, request.params.id),
  )
}

function parseTime(name: string, text: string): number {
  const time = Date.parse(text)
  if (Number.isNaN(time))
    throw failure('BAD_REQUEST', `${name}: expected a time such as 2026-11-21T08:00:00Z, got ${text}`)
  return time
}
