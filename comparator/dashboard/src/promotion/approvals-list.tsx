import type { PromotionView } from '../../../../vocabulary/api/promotion.ts'
import { Moment } from '../parts/moment.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { approvalsOf } from './offer-of.ts'

interface ApprovalsListProps {
  promotion: PromotionView
  requesterApproves: boolean
}

/** Who has approved, and how many approvals are missing. */
export function ApprovalsList({ promotion, requesterApproves }: ApprovalsListProps) {
  const { given, missing } = approvalsOf(promotion, requesterApproves)
  return (
    <div class="approvals">
      <p class="approvals-count" data-testid="approvals">
        <strong class="number">
          {given.length} of {promotion.approvalsNeeded}
        </strong>{' '}
        {promotion.approvalsNeeded === 1 ? 'approval' : 'approvals'}
        {missing > 0 && <span class="muted">, {missing} missing</span>}
      </p>
      <ul>
        {given.map(({ by, at, comment }) => (
          <li key={by} class="approval approval-given">
            <span class="approval-mark" aria-hidden="true" />
            <span>
              <strong>{by}</strong>{' '}
              <span class="muted">
                {by === promotion.requestedBy ? 'asked' : 'approved'} <Moment at={at} />
              </span>
              {by !== promotion.requestedBy && comment !== '' && (
                <q class="approval-comment">
                  <VisibleText text={comment} />
                </q>
              )}
            </span>
          </li>
        ))}
        {Array.from({ length: missing }, (_, index) => (
          <li key={index} class="approval approval-missing">
            <span class="approval-mark" aria-hidden="true" />
            <span class="muted">{given.length === 0 && index === 0 ? 'an approver' : 'another approver'}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
