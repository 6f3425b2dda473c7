import { useState } from 'preact/hooks'
import type { GateEvaluation } from '../../../../vocabulary/api/gate.ts'
import type { PromotionView } from '../../../../vocabulary/api/promotion.ts'
import { usePolled } from '../api/use-polled.ts'
import { Moment } from '../parts/moment.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { ApprovalsList } from './approvals-list.tsx'
import { CommentField } from './comment-field.tsx'
import { gateChange } from './gate-change.ts'
import { GateChangeNotice } from './gate-change-notice.tsx'
import { SignedEvaluation } from './signed-evaluation.tsx'
import type { Action } from './use-action.ts'
import { useBoundEvaluation } from './use-bound-evaluation.ts'
import { useDraft } from './use-draft.ts'

interface DecideFormProps {
  promotion: PromotionView
  requesterApproves: boolean
  gate: GateEvaluation | null
  approveBlocked: string | null
  rejectBlocked: string | null
  action: Action
}

/** Answers a request for promotion: the requester's comment with the buttons to approve or reject. */
export function DecideForm(props: DecideFormProps) {
  const { promotion, requesterApproves, gate, approveBlocked, rejectBlocked, action } = props
  const [comment, setComment] = useDraft(promotion.id)
  const bound = useBoundEvaluation(gate)
  const { evaluation, change } = bound
  const blocked = approveBlocked ?? (change ? 'Review what changed first.' : null)

  const answer = async (word: 'approve' | 'reject' | 'abort', done: string) => {
    const { override } = promotion
    const body = { comment: comment.trim(), ...(word === 'approve' && { gateId: evaluation?.id, override }) }
    if (await action.run(`/v1/promotions/${promotion.id}/${word}`, body, done)) {
      setComment('')
      bound.release()
    }
  }
  return (
    <div class="decide">
      <div class="request-quote">
        <p>
          <strong>{promotion.requestedBy}</strong> asks to promote
          {promotion.override && <strong> against the gate’s verdict</strong>}, <Moment at={promotion.requestedAt} />
        </p>
        {promotion.comment && (
          <blockquote>
            <VisibleText text={promotion.comment} />
          </blockquote>
        )}
        <ApprovalsList promotion={promotion} requesterApproves={requesterApproves} />
      </div>
      <div class="signing">
        {evaluation && evaluation.id !== promotion.gateId && !change && (
          <SinceTheRequest gateId={promotion.gateId} now={evaluation} />
        )}
        {rejectBlocked === null && (
          <CommentField
            value={comment}
            change={setComment}
            placeholder="Why approve, or why not?"
            begin={bound.begin}
          />
        )}
        {change && (
          <GateChangeNotice
            change={change}
            title="The gate has changed since you began"
            {...(approveBlocked === null && { takeNewest: bound.takeNewest })}
          />
        )}
        {evaluation && !change && approveBlocked === null && <SignedEvaluation evaluation={evaluation} />}
        <div class="action-row">
          {rejectBlocked === null && (
            <>
              <button
                class="button button-strong"
                type="button"
                disabled={blocked !== null || action.running}
                aria-describedby={blocked ? 'approve-blocked' : undefined}
                onClick={() => answer('approve', 'Your approval is signed.')}
              >
                {promotion.override ? 'Approve against the gate' : 'Approve'}
              </button>
              <button
                class="button"
                type="button"
                disabled={action.running}
                onClick={() =>
                  promotion.outdated === undefined
                    ? answer('reject', 'The promotion is rejected.')
                    : answer('abort', 'The request is closed.')
                }
              >
                {promotion.outdated === undefined ? 'Reject' : 'Close the request'}
              </button>
            </>
          )}
          {blocked && (
            <p class="blocked" id="approve-blocked">
              {blocked}
            </p>
          )}
        </div>
      </div>
    </div>
  )
}

/** What has changed between the evaluation that the requester saw and the current one. */
function SinceTheRequest({ gateId, now }: { gateId: string; now: GateEvaluation }) {
  const path = `/v1/evaluations/${gateId}`
  const [kept, setKept] = useState<GateEvaluation | null>(null)
  const asked = usePolled<GateEvaluation>(kept === null ? path : null, () => path)
  if (asked.data !== null && kept === null) setKept(asked.data)
  if (kept === null) return null
  const change = gateChange(kept, now)
  if (change.isMaterial) return <GateChangeNotice change={change} title="The gate has changed since the request" />
  return (
    <details class="since-request">
      <summary>The gate has been judged again since the request; no check’s verdict changed</summary>
      <GateChangeNotice change={change} title="Figures that changed" />
    </details>
  )
}
