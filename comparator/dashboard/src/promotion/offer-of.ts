import type { PromotionView } from '../../../../vocabulary/api/promotion.ts'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { type Role, roleAllows } from '../../../../vocabulary/role.ts'
import type { Verdict } from '../../../../vocabulary/verdict.ts'
import { formatCounted } from '../format/number.ts'
import { verdictWords } from '../format/words.ts'

export interface OfferInput {
  validation: Pick<ValidationView, 'state' | 'promotion'> & {
    policy: Pick<ValidationView['policy'], 'requesterApproves'>
  }
  verdict: Verdict
  gateId: string | null
  /** What is needed to pass, in a sentence. */
  way: string
  /** The figures on screen could not be refreshed. */
  stale: boolean
  reader: { name: string; role: Role }
}

/**
 * What the reader may do now. `blocked` says why they cannot, beside a disabled button, or instead of it if their role
 * never allows it; `null` means enabled.
 */
export type Offer =
  /** `override`: whether the reader may sign against the gate. */
  | { kind: 'request'; blocked: string | null; override: boolean }
  | { kind: 'decide'; promotion: PromotionView; approveBlocked: string | null; rejectBlocked: string | null }
  | { kind: 'rollingOut'; promotion: PromotionView; blocked: string | null }
  | { kind: 'promoted'; promotion: PromotionView; blocked: string | null }

export function offerOf({ validation, verdict, gateId, way, stale, reader }: OfferInput): Offer {
  const { state, promotion, policy } = validation
  const notTheirs = (act: string) =>
    roleAllows(reader.role, 'approver') ? null : `Only an approver can ${act}; your role is ${reader.role}.`
  const unseen = stale
    ? 'The figures could not be refreshed, so nothing can be signed.'
    : gateId === null
      ? 'The gate has not been judged yet.'
      : null
  const notPassed =
    verdict === 'pass'
      ? null
      : `The gate’s verdict is ${verdictWords[verdict].toLowerCase()}; promotion needs a pass. ${way}`

  if (promotion?.state === 'requested') {
    return {
      kind: 'decide',
      promotion,
      approveBlocked:
        notTheirs('approve or reject it') ??
        outdated(promotion) ??
        ownWord(promotion, policy.requesterApproves ?? true, reader.name) ??
        unseen ??
        (promotion.override ? null : notPassed),
      rejectBlocked: notTheirs('approve or reject it'),
    }
  }
  if (promotion && (state === 'rollingOut' || state === 'promoted')) {
    return { kind: state, promotion, blocked: notTheirs('roll it back') }
  }
  const override = roleAllows(reader.role, 'admin') && unseen === null && notPassed !== null
  const missing = unseen ?? notPassed
  const others = notTheirs('request promotion')
  return {
    kind: 'request',
    blocked: others === null ? missing : `${missing ?? 'The gate passes.'} ${others}`,
    override,
  }
}

/** A request for other models or under another policy cannot be approved. */
function outdated(promotion: PromotionView): string | null {
  if (promotion.outdated === undefined) return null
  return `Since the request, ${promotion.outdated}. Close it and request promotion again on the current gate.`
}

/** Why the reader cannot approve, or not a second time. */
function ownWord(promotion: PromotionView, requesterApproves: boolean, name: string): string | null {
  if (!requesterApproves && promotion.requestedBy === name) {
    return 'You requested this promotion; someone else must approve it.'
  }
  if (!promotion.approvals.some(({ by }) => by === name)) return null
  const { missing } = approvalsOf(promotion, requesterApproves)
  return `You have approved; ${formatCounted(missing, 'more approval')} from someone else ${missing === 1 ? 'is' : 'are'} needed.`
}

/** Whose approvals count, and how many are missing. */
export function approvalsOf(
  { approvals, approvalsNeeded, requestedBy }: PromotionView,
  requesterApproves: boolean,
): { given: PromotionView['approvals']; missing: number } {
  const given = approvals.filter(({ by }) => requesterApproves || by !== requestedBy)
  return { given, missing: Math.max(0, approvalsNeeded - given.length) }
}
