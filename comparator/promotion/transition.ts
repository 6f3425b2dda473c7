import type { PromotionState } from '../../vocabulary/promotion.ts'
import type { ValidationState } from '../../vocabulary/routing.ts'

/** What a person may do about a promotion that there is. */
export const promotionActions = ['approve', 'reject', 'abort', 'rollback'] as const
export type PromotionAction = (typeof promotionActions)[number]

/** With what the comparator itself does. */
export const promotionSteps = ['request', ...promotionActions, 'begin', 'step', 'complete'] as const
export type PromotionStep = (typeof promotionSteps)[number]

interface Transition {
  /** `null`: there is no promotion of the validation under way. */
  from: PromotionState | null
  step: PromotionStep
  /** `understudy` is the comparator itself, once its conditions hold. */
  by: 'approver' | 'understudy' | 'either'
  to: PromotionState
  /** Where the validation goes with it; absent: it stays. */
  validation?: ValidationState
  /** The candidate's share of live traffic after it. */
  live: 'none' | 'step' | 'last step'
}

/**
 * Every way that a promotion can go; there is no other. `docs/PROMOTION.md` shows the same table, and a test holds
 * both. From `rejected`, `aborted` and `rolledBack` nothing leads on but a new request.
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

/** The one way from a state by a step; undefined where there is none. */
export function transitionFrom(from: PromotionState | null, step: PromotionStep): Transition | undefined {
  return transitions.find((transition) => transition.from === from && transition.step === step)
}

/** What people may do now, in words for a refusal. */
export function actionsFrom(state: PromotionState): PromotionAction[] {
  return promotionActions.filter((action) => transitionFrom(state, action))
}
