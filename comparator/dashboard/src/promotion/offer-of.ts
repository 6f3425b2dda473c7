import type { PromotionView, ValidationView } from '../../../../vocabulary/api.ts'
import type { Verdict } from '../../../../vocabulary/gate.ts'
import { type Role, roleAllows } from '../../../../vocabulary/role.ts'
import { stateWords, verdictWords } from '../format/words.ts'

export interface OfferInput {
  validation: Pick<ValidationView, 'state' | 'promotion'>
  verdict: Verdict
  gateId: string | null
  /** The figures on screen could not be refreshed. */
  stale: boolean
  reader: { name: string; role: Role }
}

/** What the reader may do now. `blocked` is the sentence beside the disabled button; `null`: go ahead. */
export type Offer =
  | { kind: 'request'; blocked: string | null }
  | { kind: 'decide'; promotion: PromotionView; approveBlocked: string | null; rejectBlocked: string | null }
  | { kind: 'rollingOut'; promotion: PromotionView; blocked: string | null }
  | { kind: 'promoted'; promotion: PromotionView; blocked: string | null }

export function offerOf({ validation, verdict, gateId, stale, reader }: OfferInput): Offer {
  const { state, promotion } = validation
  const wrongRole = roleAllows(reader.role, 'approver') ? null : `Your role is ${reader.role}; this takes an approver.`
  const unseen = stale
    ? 'The figures could not be refreshed; nothing is signed on old ones.'
    : gateId === null
      ? 'The gate has not been judged yet.'
      : null
  const notPassed =
    verdict === 'pass' ? null : `The gate’s verdict is ${verdictWords[verdict].toLowerCase()}; promotion needs a pass.`

  if (promotion?.state === 'requested') {
    const already = promotion.approvals.some((approval) => approval.by === reader.name)
      ? `You have approved; ${promotion.approvalsNeeded - promotion.approvals.length} more approval by someone else is needed.`
      : null
    return {
      kind: 'decide',
      promotion,
      approveBlocked: wrongRole ?? unseen ?? (promotion.override ? null : notPassed) ?? already,
      rejectBlocked: wrongRole,
    }
  }
  if (promotion && state === 'rollingOut') return { kind: 'rollingOut', promotion, blocked: wrongRole }
  if (promotion && state === 'promoted') return { kind: 'promoted', promotion, blocked: wrongRole }
  const underWay =
    state === 'rollingOut' || state === 'promoted' ? `The state is ${stateWords[state].toLowerCase()}.` : null
  return { kind: 'request', blocked: wrongRole ?? unseen ?? notPassed ?? underWay }
}
