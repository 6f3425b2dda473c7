import { type Static, Type } from 'typebox'
import { Count, Flag, LivePercent, named, nullable, Text, Time } from '../schema.ts'
import { LiveGate } from './live-gate.ts'

export const promotionStates = ['requested', 'rollingOut', 'promoted', 'rejected', 'aborted', 'rolledBack'] as const
export type PromotionState = (typeof promotionStates)[number]

export const PromotionView = named('PromotionView', 'The signed decision to move live traffic to the candidate.', {
  id: Text('a UUID'),
  validation: Text('the name of its validation'),
  gateId: Text('the gate evaluation that it was requested on'),
  state: Type.Enum(promotionStates, { description: 'its state; docs/PROMOTION.md shows the transitions' }),
  override: Flag('whether it was requested against the gate'),
  requestedBy: Text('who requested it'),
  requestedAt: Time('when'),
  comment: Text("the requester's words"),
  approvals: Type.Array(
    Type.Object({ by: Text('who approved'), at: Time('when'), comment: Text("the approver's words") }),
    { description: 'oldest first' },
  ),
  approvalsNeeded: Count('how many different approvers must agree'),
  step: nullable(Count(), "index into the rollout's steps, from 0; null before the first"),
  livePercent: LivePercent(),
  nextStepAt: nullable(Time(), 'when the next step is due; null if none is'),
  outdated: Type.Optional(
    Text('for a request: what has changed in models and policy since, so that it can no longer be approved'),
  ),
  liveGate: Type.Optional(LiveGate),
})
export type PromotionView = Static<typeof PromotionView>
