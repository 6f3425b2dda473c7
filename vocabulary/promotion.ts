import { type Static, Type } from 'typebox'
import { LiveGate } from './live-gate.ts'
import { named, nullable, Time } from './schema.ts'

export const promotionStates = ['requested', 'rollingOut', 'promoted', 'rejected', 'aborted', 'rolledBack'] as const
export type PromotionState = (typeof promotionStates)[number]

export const PromotionView = named('PromotionView', {
  id: Type.String(),
  validation: Type.String(),
  gateId: Type.String(),
  state: Type.Enum(promotionStates),
  override: Type.Boolean(),
  requestedBy: Type.String(),
  requestedAt: Time,
  comment: Type.String(),
  approvals: Type.Array(Type.Object({ by: Type.String(), at: Time, comment: Type.String() })),
  approvalsNeeded: Type.Integer(),
  /** Index into the rollout's steps, `null` before the first. */
  step: nullable(Type.Integer()),
  livePercent: Type.Number(),
  /** When the next step is due, `null` where none is. */
  nextStepAt: nullable(Time),
  /** Of a request: what of models and policy has changed since, in words, so that nobody can approve it any more. */
  outdated: Type.Optional(Type.String()),
  /** Over what clients get from the candidate, while it is live. */
  liveGate: Type.Optional(LiveGate),
})
export type PromotionView = Static<typeof PromotionView>
