import { useState } from 'preact/hooks'
import type { PromotionView } from '../../../../vocabulary/api.ts'
import { Moment } from '../parts/moment.tsx'
import type { Action } from './use-action.ts'

interface DecideFormProps {
  promotion: PromotionView
  gateId: string | null
  approveBlocked: string | null
  rejectBlocked: string | null
  action: Action
}

/** Someone asks to promote: their comment stands beside the buttons that answer it. */
export function DecideForm({ promotion, gateId, approveBlocked, rejectBlocked, action }: DecideFormProps) {
  const [comment, setComment] = useState('')
  const answer = async (word: 'approve' | 'reject') => {
    if (await action.run(`/v1/promotions/${promotion.id}/${word}`, { comment: comment.trim() })) setComment('')
  }
  return (
    <div class="signing decide">
      <div class="request-quote">
        <p>
          <strong>{promotion.requestedBy}</strong> asks to promote
          {promotion.override && <strong> against the gate’s verdict</strong>}, <Moment at={promotion.requestedAt} />
        </p>
        {promotion.comment && <blockquote>{promotion.comment}</blockquote>}
        <p class="muted">
          {promotion.approvals.length} of {promotion.approvalsNeeded} approvals:{' '}
          {promotion.approvals.map((approval) => approval.by).join(', ')}.
          {gateId !== null && gateId !== promotion.gateId && (
            <>
              {' '}
              Requested on an earlier evaluation; yours is on the one shown, and the gate is judged again as you
              approve.
            </>
          )}
        </p>
      </div>
      <label for="decision-comment">Comment</label>
      <textarea
        id="decision-comment"
        rows={2}
        maxLength={5000}
        value={comment}
        disabled={rejectBlocked !== null}
        onInput={(event) => setComment(event.currentTarget.value)}
      />
      <div class="action-row">
        <button
          class="button button-strong"
          type="button"
          disabled={approveBlocked !== null || action.running}
          aria-describedby={approveBlocked ? 'approve-blocked' : undefined}
          onClick={() => answer('approve')}
        >
          Approve
        </button>
        <button
          class="button"
          type="button"
          disabled={rejectBlocked !== null || action.running}
          onClick={() => answer('reject')}
        >
          Reject
        </button>
        {approveBlocked && (
          <p class="blocked" id="approve-blocked">
            {approveBlocked}
          </p>
        )}
      </div>
    </div>
  )
}
