import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { GateEvaluation, WindowGate } from '../../vocabulary/gate.ts'
import { MetricsView } from '../../vocabulary/metrics.ts'
import { ObservationDetail } from '../../vocabulary/observation-detail.ts'
import { comparisonKinds, observationOrders } from '../../vocabulary/observation-query.ts'
import { ObservationPage } from '../../vocabulary/observation-view.ts'
import { PairsView } from '../../vocabulary/pairs.ts'
import { GateReplay } from '../../vocabulary/replay.ts'
import { SlicesView } from '../../vocabulary/slices.ts'
import { durationPattern, parseDuration } from '../../vocabulary/units.ts'
import { ValidationsView, ValidationView } from '../../vocabulary/validation.ts'
import { WindowsView } from '../../vocabulary/windows.ts'
import { failure } from '../jobs/errors.ts'
import { readGate } from '../jobs/read-gate.ts'
import { replayGate } from '../jobs/replay-gate.ts'
import { viewMetrics } from '../jobs/view-metrics.ts'
import { viewObservationDetail } from '../jobs/view-observation.ts'
import { viewObservations } from '../jobs/view-observations.ts'
import { viewPairs } from '../jobs/view-pairs.ts'
import { viewSlices } from '../jobs/view-slices.ts'
import { viewValidation } from '../jobs/view-validation.ts'
import { judgeWindow, viewWindows } from '../jobs/view-windows.ts'
import type { AppDependencies } from './dependencies.ts'
import { ByName, parseTime, Serial, Text, Uuid, validationNamed } from './params.ts'

/** What people and dashboards read. */
export function evidenceRoutes(
  scope: FastifyInstance,
  { comparator, judgements, overview, answers }: AppDependencies,
): void {
  const app = scope.withTypeProvider<TypeBoxTypeProvider>()
  const viewer = { config: { role: 'viewer' as const } }

  app.get(
    '/v1/validations',
    { ...viewer, schema: { summary: 'Every validation', response: { 200: ValidationsView } } },
    async () => ({ validations: await overview.list() }),
  )

  app.get(
    '/v1/validations/:name',
    { ...viewer, schema: { summary: 'One validation', params: ByName, response: { 200: ValidationView } } },
    async (request) => {
      const validation = validationNamed(comparator, request.params.name)
      return viewValidation(comparator, validation, await judgements.of(validation))
    },
  )

  app.get(
    '/v1/validations/:name/gate',
    {
      ...viewer,
      schema: {
        summary: "The gate's evaluation, with its arithmetic",
        params: ByName,
        response: { 200: GateEvaluation },
      },
    },
    async (request) => {
      const validation = validationNamed(comparator, request.params.name)
      // people on the dashboard look on; who has a token acts on it
      return request.session === null
        ? readGate(comparator, judgements, validation)
        : (await judgements.of(validation)).evaluation
    },
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
        response: { 200: GateReplay },
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
    {
      ...viewer,
      schema: {
        summary: 'All spans of evidence, and why each began',
        params: ByName,
        response: { 200: WindowsView },
      },
    },
    async (request) => ({ windows: await viewWindows(comparator, validationNamed(comparator, request.params.name)) }),
  )

  app.get(
    '/v1/validations/:name/windows/:window/gate',
    {
      ...viewer,
      schema: {
        summary: 'The gate over one of them, under the policy that it had',
        params: Type.Object({ name: Type.String(), window: Serial }),
        response: { 200: WindowGate },
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
        summary: 'Totals, bounds, series and distributions, of all traffic or of a slice',
        params: ByName,
        querystring: Type.Object({
          ...Span,
          step: Type.Optional(Type.String({ pattern: durationPattern, description: 'a duration such as 1h' })),
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
      ...viewer,
      schema: {
        summary: 'One metric in every slice of the traffic, the worst first',
        params: ByName,
        querystring: Type.Object({
          metric: Type.Optional(Type.String({ maxLength: 200, description: "default: the output's main metric" })),
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
      ...viewer,
      schema: {
        summary: 'A uniform sample of what both sides answered, as numbers',
        params: ByName,
        querystring: Type.Object({
          limit: Type.Integer({ minimum: 1, maximum: 500, default: 500 }),
          slice: Slice,
          output: Output,
        }),
        response: { 200: PairsView },
      },
    },
    async (request) => viewPairs(comparator, validationNamed(comparator, request.params.name), request.query),
  )

  app.get(
    '/v1/validations/:name/observations',
    {
      ...viewer,
      schema: {
        summary: 'A page of observations: the worst, the newest, or a uniform sample',
        params: ByName,
        querystring: Type.Object({
          order: Type.Enum([...observationOrders], { default: 'newest' }),
          slice: Slice,
          comparison: Type.Optional(Type.Enum([...comparisonKinds])),
          ...Span,
          limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
          cursor: Type.Optional(Type.String({ maxLength: 500 })),
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
      ...viewer,
      schema: {
        summary: 'One observation, with bodies where kept',
        params: Type.Object({ id: Uuid }),
        response: { 200: ObservationDetail },
      },
    },
    async (request) => viewObservationDetail(comparator, request.params.id),
  )
}

const Span = {
  from: Type.Optional(Type.String({ description: 'RFC 3339 time; default: where the gate begins to judge, or all' })),
  to: Type.Optional(Type.String({ description: 'RFC 3339 time; default: the newest observation' })),
}
const Slice = Text(200, { default: '', description: 'a slice such as class=7; default: all traffic' })
const Output = Type.String({
  default: '',
  maxLength: 50,
  description: 'a further output by its name; default: the main',
})

function spanOf(asked: { from?: string | undefined; to?: string | undefined }) {
  const span = {
    ...(asked.from !== undefined && { from: parseTime('from', asked.from) }),
    ...(asked.to !== undefined && { to: parseTime('to', asked.to) }),
  }
  if (span.from !== undefined && span.to !== undefined && span.from > span.to) {
    throw failure('BAD_REQUEST', `from: expected a time before to, ${asked.to}, got ${asked.from}`)
  }
  return span
}
