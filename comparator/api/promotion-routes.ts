import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { AuditPage } from '../../vocabulary/audit.ts'
import { AuditOverview } from '../../vocabulary/audit-overview.ts'
import { GateEvaluation } from '../../vocabulary/gate.ts'
import { PromotionView } from '../../vocabulary/promotion.ts'
import { PromotionRecords } from '../../vocabulary/promotion-record.ts'
import { roleAllows } from '../../vocabulary/role.ts'
import { AuditCheck } from '../jobs/check-audit.ts'
import { type ErrorCode, failure } from '../jobs/errors.ts'
import { viewEvaluation } from '../jobs/evaluate-gate.ts'
import { viewPromotionRecords } from '../jobs/list-promotions.ts'
import { actOnPromotion, requestPromotion } from '../jobs/promote.ts'
import { viewPromotion } from '../jobs/view-validation.ts'
import { promotionActions } from '../promotion/transition.ts'
import { listAudit, listAuditFrom, namesInAudit } from '../store/audit.ts'
import { findEvaluation } from '../store/gate-evaluations.ts'
import { findPromotion } from '../store/promotions.ts'
import { actorOf } from './authorize.ts'
import type { AppDependencies } from './dependencies.ts'
import { ByName, Serial, Text, Uuid, validationNamed } from './params.ts'

const commentMax = 5_000
const Comment = Text(commentMax, { default: '' })
const ofApproval: ErrorCode[] = ['OWN_REQUEST', 'GATE_NOT_PASSED', 'GATE_STALE']

/** What moves traffic, and the record of who did. */
export function promotionRoutes(scope: FastifyInstance, { comparator }: AppDependencies): void {
  const app = scope.withTypeProvider<TypeBoxTypeProvider>()
  const view = async (id: string) => {
    const promotion = await findPromotion(comparator.db, id)
    if (!promotion) throw failure('NOT_FOUND', `no promotion ${id}`)
    return viewPromotion(comparator, promotion)
  }

  app.post(
    '/v1/validations/:name/promotion',
    {
      config: { role: 'approver', errors: ['GATE_NOT_PASSED', 'GATE_STALE', 'PROMOTION_UNDER_WAY'] },
      schema: {
        summary: 'Request a promotion on the gate evaluation that you saw',
        params: ByName,
        body: Type.Object({ gateId: Uuid, comment: Comment, override: Type.Boolean({ default: false }) }),
        response: { 201: PromotionView },
      },
    },
    async (request, reply) => {
      const actor = actorOf(request)
      const { gateId, comment, override } = request.body
      if (override && !roleAllows(actor.role, 'admin')) {
        throw failure('FORBIDDEN', `${actor.name} is ${actor.role}; an override takes the role admin`)
      }
      if (override && comment.trim() === '') {
        throw failure('BAD_REQUEST', 'comment: an override needs the reason for it')
      }
      const validation = validationNamed(comparator, request.params.name)
      const id = await requestPromotion(comparator, validation, actor, { gateId, comment, override })
      return reply.code(201).send(await view(id))
    },
  )

  for (const action of promotionActions) {
    app.post(
      `/v1/promotions/:id/${action}`,
      {
        config: { role: 'approver', errors: ['PROMOTION_STATE', ...(action === 'approve' ? ofApproval : [])] },
        // nobody who takes traffic back in a hurry should have to spell an empty document
        preValidation: async (request) => {
          request.body ??= { comment: '' }
        },
        schema: {
          summary: `${action[0]!.toUpperCase()}${action.slice(1)} a promotion`,
          params: Type.Object({ id: Uuid }),
          body: Type.Optional(
            Type.Object({ comment: Comment, gateId: Type.Optional(Uuid), override: Type.Optional(Type.Boolean()) }),
          ),
          response: { 200: PromotionView },
        },
      },
      async (request) => {
        const { id } = request.params
        await actOnPromotion(comparator, id, action, actorOf(request), request.body!)
        return view(id)
      },
    )
  }

  app.get(
    '/v1/promotions',
    {
      config: { role: 'viewer' },
      schema: {
        summary: 'Promotions and how they went, newest first; with `live` those that have live traffic now',
        querystring: Type.Object({
          validation: Type.Optional(Text(200)),
          live: Type.Boolean({ default: false }),
          limit: Type.Integer({ minimum: 1, maximum: 200, default: 20 }),
        }),
        response: { 200: PromotionRecords },
      },
    },
    async (request) => ({
      promotions: await viewPromotionRecords(comparator, request.query),
    }),
  )

  app.get(
    '/v1/evaluations/:id',
    {
      config: { role: 'viewer' },
      schema: {
        summary: 'A gate evaluation as it was stored, such as the one that a request was signed on',
        params: Type.Object({ id: Uuid }),
        response: { 200: GateEvaluation },
      },
    },
    async (request) => {
      const found = await findEvaluation(comparator.db, request.params.id)
      if (!found) throw failure('NOT_FOUND', `no gate evaluation ${request.params.id}`)
      return viewEvaluation(found)
    },
  )

  app.get(
    '/v1/promotions/:id',
    {
      config: { role: 'viewer' },
      schema: {
        summary: 'One promotion',
        params: Type.Object({ id: Uuid }),
        response: { 200: PromotionView },
      },
    },
    async (request) => view(request.params.id),
  )

  app.get(
    '/v1/audit',
    {
      config: { role: 'viewer' },
      schema: {
        summary: 'Who did what, newest first; with `after` the entries that followed that id, oldest first',
        querystring: Type.Object({
          validation: Type.Optional(Text(200)),
          actor: Type.Optional(Text(300)),
          after: Type.Optional(Serial),
          limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
          cursor: Type.Optional(Serial),
        }),
        response: { 200: AuditPage },
      },
    },
    async (request) => {
      const { limit, cursor, after, validation, actor } = request.query
      if (after !== undefined) {
        const entries = await listAuditFrom(comparator.db, limit, after, { validation, actor })
        return { entries, nextCursor: null }
      }
      const entries = await listAudit(comparator.db, limit, cursor, { validation, actor })
      return { entries, nextCursor: entries.length === limit ? String(entries.at(-1)!.id) : null }
    },
  )

  const check = new AuditCheck(comparator)
  app.get(
    '/v1/audit/overview',
    {
      config: { role: 'viewer' },
      schema: {
        summary: 'Whether the chain of the audit holds, and whom and what it names',
        response: { 200: AuditOverview },
      },
    },
    async () => ({ chain: await check.chain(), ...(await namesInAudit(comparator.db)) }),
  )
}
