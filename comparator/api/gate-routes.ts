import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { GateEvaluation, WindowGate } from '../../vocabulary/api/gate.ts'
import { GateReplay } from '../../vocabulary/api/replay.ts'
import { WindowsView } from '../../vocabulary/api/windows.ts'
import { failure } from '../jobs/errors.ts'
import { viewEvaluation } from '../jobs/gate/evaluate-gate.ts'
import { readGate } from '../jobs/gate/read-gate.ts'
import { replayGate } from '../jobs/gate/replay-gate.ts'
import { judgeWindow, viewWindows } from '../jobs/views/view-windows.ts'
import { findEvaluation } from '../store/gate/gate-evaluations.ts'
import type { AppDependencies } from './dependencies.ts'
import { ByName, parseTime, Serial, Uuid, validationNamed } from './params.ts'
import { Limit, Query } from './query.ts'

const config = { role: 'viewer' as const }
const tags = ['gate']

/** The gate's evaluations, current and past. */
export function gateRoutes(scope: FastifyInstance, { comparator, judgements }: AppDependencies): void {
  const app = scope.withTypeProvider<TypeBoxTypeProvider>()

  app.get(
    '/v1/validations/:name/gate',
    {
      config,
      schema: {
        operationId: 'getGate',
        tags,
        summary: "The gate's evaluation, with its arithmetic",
        params: ByName,
        response: { 200: GateEvaluation },
      },
    },
    async (request) => {
      const validation = validationNamed(comparator, request.params.name)
      // the dashboard only shows the evaluation; the holder of a token may act on it, so its input is kept for replay
      return request.session === null
        ? readGate(comparator, judgements, validation)
        : (await judgements.of(validation)).evaluation
    },
  )

  app.get(
    '/v1/validations/:name/gate/replay',
    {
      config,
      schema: {
        operationId: 'replayGate',
        tags,
        summary: 'Stored evaluations judged again, newest first, and how they differ',
        params: ByName,
        querystring: Query({
          id: Type.Optional(Uuid('the id of one evaluation; left out: all')),
          since: Type.Optional(
            Type.String({ description: 'an RFC 3339 time from which evaluations count; left out: all that are kept' }),
          ),
          limit: Limit(200, 50, 'evaluations'),
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
      config,
      schema: {
        operationId: 'listWindows',
        tags,
        summary: 'All windows of evidence, and why each began',
        params: ByName,
        response: { 200: WindowsView },
      },
    },
    async (request) => ({ windows: await viewWindows(comparator, validationNamed(comparator, request.params.name)) }),
  )

  app.get(
    '/v1/validations/:name/windows/:window/gate',
    {
      config,
      schema: {
        operationId: 'getWindowGate',
        tags,
        summary: 'The gate over one window, under the policy of its time',
        params: Type.Object({ ...ByName.properties, window: Serial('the id of a window') }),
        response: { 200: WindowGate },
      },
    },
    async (request) => {
      const { name, window } = request.params
      return judgeWindow(comparator, validationNamed(comparator, name), window)
    },
  )

  app.get(
    '/v1/evaluations/:id',
    {
      config,
      schema: {
        operationId: 'getEvaluation',
        tags,
        summary: 'A stored gate evaluation, such as the one that a request was signed on',
        params: Type.Object({ id: Uuid('of a gate evaluation') }),
        response: { 200: GateEvaluation },
      },
    },
    async (request) => {
      const found = await findEvaluation(comparator.db, request.params.id)
      if (!found) throw failure('NOT_FOUND', `no gate evaluation ${request.params.id}`)
      return viewEvaluation(found)
    },
  )
}
