import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { type TProperties, Type } from 'typebox'
import { PromotionView } from '../../vocabulary/api/promotion.ts'
import { PromotionRecords } from '../../vocabulary/api/promotion-record.ts'
import { roleAllows } from '../../vocabulary/role.ts'
import { type ErrorCode, failure } from '../jobs/errors.ts'
import { actOnPromotion, requestPromotion } from '../jobs/promotion/promote.ts'
import { viewPromotionRecords } from '../jobs/views/list-promotions.ts'
import { viewPromotion } from '../jobs/views/view-validation.ts'
import { promotionActions } from '../promotion/transition.ts'
import { findPromotion } from '../store/promotion/promotions.ts'
import type { AppDependencies } from './dependencies.ts'
import { ByName, Text, Uuid, validationNamed } from './params.ts'
import { Limit, Named, Query } from './query.ts'
import { actorOf } from './sign-in/authorize.ts'

const commentMax = 5_000
const tags = ['promotions']
const Comment = Text(commentMax, {
  default: '',
  description: 'a text of at most 5,000 characters without NUL: why; an override needs one',
})
/** Refuses unknown members: if a misspelt one were ignored, the signer would sign something else than they meant. */
const Signed = <Properties extends TProperties>(properties: Properties) =>
  Type.Object({ comment: Comment, ...properties }, { additionalProperties: false })
const RequestBody = Signed({
  gateId: Uuid('the id of the gate evaluation that you saw'),
  override: Type.Boolean({
    default: false,
    description: 'true or false: whether to promote against the gate, which needs the role admin and a comment',
  }),
})
const ApprovalBody = Signed({
  gateId: Type.Optional(Uuid('the id of the gate evaluation that you saw; left out: the one that it was requested on')),
  override: Type.Optional(Type.Boolean({ description: 'true or false: confirms that you approve against the gate' })),
})
const EndingBody = Signed({})
const ById = Type.Object({ id: Uuid('of a promotion') })
const ofApproval: ErrorCode[] = ['OWN_REQUEST', 'GATE_NOT_PASSED', 'GATE_STALE']

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
        operationId: 'requestPromotion',
        tags,
        summary: 'Request a promotion on the gate evaluation that you saw',
        params: ByName,
        body: RequestBody,
        response: { 201: PromotionView },
      },
    },
    async (request, reply) => {
      const actor = actorOf(request)
      const { gateId, comment, override } = request.body
      if (override && !roleAllows(actor.role, 'admin')) {
        throw failure('FORBIDDEN', `an override needs the role admin; ${actor.name} has ${actor.role}`)
      }
      if (override && comment.trim() === '') {
        const expected = 'the reason for the override'
        throw failure('BAD_REQUEST', `comment: expected ${expected}`, [{ in: 'body', path: 'comment', expected }])
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
        // somebody who rolls back in a hurry should not need to send an empty document
        preValidation: async (request) => {
          request.body ??= { comment: '' }
        },
        schema: {
          operationId: `${action}Promotion`,
          tags,
          summary: `${action[0]!.toUpperCase()}${action.slice(1)} a promotion`,
          params: ById,
          body: Type.Optional(action === 'approve' ? ApprovalBody : EndingBody),
          response: { 200: PromotionView },
        },
      },
      async (request) => {
        const { id } = request.params
        await actOnPromotion(comparator, id, action, { ...request.body!, actor: actorOf(request) })
        return view(id)
      },
    )
  }

  app.get(
    '/v1/promotions',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'listPromotions',
        tags,
        summary: 'Promotions and their course, newest first; with `live`, those that have live traffic now',
        querystring: Query({
          validation: Named,
          live: Type.Boolean({
            default: false,
            description: 'true or false: only promotions with live traffic now; left out: all',
          }),
          limit: Limit(200, 20, 'promotions'),
        }),
        response: { 200: PromotionRecords },
      },
    },
    async (request) => ({
      promotions: await viewPromotionRecords(comparator, request.query),
    }),
  )

  app.get(
    '/v1/promotions/:id',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'getPromotion',
        tags,
        summary: 'One promotion',
        params: ById,
        response: { 200: PromotionView },
      },
    },
    async (request) => view(request.params.id),
  )
}
