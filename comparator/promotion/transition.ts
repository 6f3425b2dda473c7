import type { PromotionState } from '../../vocabulary/api/promotion.ts'
import type { ValidationState } from '../../vocabulary/routing.ts'

/** What a person may do with an existing promotion. */
export const promotionActions = ['approve', 'reject', 'abort', 'rollback'] as const
export type PromotionAction = (typeof promotionActions)[number]

/** All steps, those of the comparator itself included. */
export const promotionSteps = ['request', ...promotionActions, 'begin', 'step', 'complete'] as const
export type PromotionStep = (typeof promotionSteps)[number]

interface Transition {
  /** `null`: the validation has no promotion under way. */
  from: PromotionState | null
  step: PromotionStep
  /** `understudy` is the comparator itself, once its conditions hold. */
  by: 'approver' | 'understudy' | 'either'
  to: PromotionState
  /** The validation's state afterwards; absent: unchanged. */
  validation?: ValidationState
  /** The candidate's share of live traffic afterwards. */
  live: 'none' | 'step' | 'last step'
}

/**
 * All transitions of a promotion. A test keeps the table of `docs/PROMOTION.md` in step. `rejected`, `aborted` and
 * `rolledBack` are final: only a new request leads on.
 */
export const transitions: readonly Transition[] = [
  { from: null, step: 'request', by: 'approver', to: 'requested', live: 'none' },
  { from: 'requested', step: 'approve', by: 'approver', to: 'requested', live: 'none' },
  { from: 'requested', step: 'begin', by: 'understudy', to: 'rollingOut', validation: 'rollingOut', live: 'step' },
  { from: 'requested', step: 'reject', by: 'approver', to: 'rejected', validation: 'rejected', live: 'none' },
  { from: 'requested', step: 'abort', by: 'approver', to: 'aborted', validation: 'observing', live: 'none' },
  { from: 'rollingOut', step: 'step', by: 'understudy', to: 'rollingOut', validation: 'rollingOut', live: 'step' },
  { from: 'rollingOut', step: 'complete', by: 'understudy', to: 'promoted', validation: 'promoted', live: 'last step' },
  { from: 'rollingOut', step: 'abort', by: 'approver', to: 'aborted', validation: 'rolledBack', live: 'none' },
  { from: 'rollingOut', step: 'rollback', by: 'either', to: 'rolledBack', validation: 'rolledBack', live: 'none' },
  { from: 'promoted', step: 'rollback', by: 'approver', to: 'rolledBack', validation: 'rolledBack', live: 'none' },
]

/** The transition from a state by a step, if there is one. */
export function transitionFrom(from: PromotionState | null, step: PromotionStep): Transition | undefined {
  return transitions.find((transition) => transition.from === from && transition.step === step)
}

/** The actions that a state allows. */
export function actionsFrom(state: PromotionState): PromotionAction[] {
  return promotionActions.filter((action) => transitionFrom(state, action))
}
