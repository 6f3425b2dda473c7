import { useRef, useState } from 'preact/hooks'
import type { GateEvaluation } from '../../../../vocabulary/api/gate.ts'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { roleAllows } from '../../../../vocabulary/role.ts'
import { useSession } from '../api/session-context.ts'
import { formatPercent } from '../format/number.ts'
import { CommentField } from './comment-field.tsx'
import { GateChangeNotice } from './gate-change-notice.tsx'
import { SignedEvaluation } from './signed-evaluation.tsx'
import type { Action } from './use-action.ts'
import { useBoundEvaluation } from './use-bound-evaluation.ts'
import { useDraft } from './use-draft.ts'

interface RequestFormProps {
  validation: ValidationView
  gate: GateEvaluation | null
  blocked: string | null
  action: Action
}

const nothingSaid = 'Say why in a sentence: it is kept with the decision, in the audit.'

export function RequestForm({ validation, gate, blocked, action }: RequestFormProps) {
  const [comment, setComment] = useDraft(validation.name)
  const [tried, setTried] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const bound = useBoundEvaluation(gate)
  const { evaluation, change } = bound

  const submit = async (event: Event) => {
    event.preventDefault()
    setTried(comment.trim() === '')
    if (comment.trim() === '') return field.current?.focus()
    const path = `/v1/validations/${encodeURIComponent(validation.name)}/promotion`
    const body = { gateId: evaluation?.id, comment: comment.trim() }
    if (await action.run(path, body, 'Your request is signed.')) {
      setComment('')
      bound.release()
    }
  }

  // a comment being written stays, even if the gate stops passing meanwhile
  if (blocked !== null && comment === '') return <Blocked reason={blocked} />
  return (
    <form class="signing" onSubmit={submit}>
      <CommentField
        value={comment}
        change={setComment}
        problem={tried && comment.trim() === '' ? nothingSaid : null}
        placeholder="Why is this candidate ready?"
        begin={bound.begin}
        field={field}
      />
      {change && (
        <GateChangeNotice
          change={change}
          title="The gate has changed since you began"
          {...(blocked === null && { takeNewest: bound.takeNewest })}
        />
      )}
      {evaluation && !change && <SignedEvaluation evaluation={evaluation} />}
      <div class="action-row">
        <button
          class="button button-strong"
          type="submit"
          disabled={action.running || blocked !== null || change !== null}
          aria-describedby="request-hint"
        >
          Request promotion
        </button>
        <p class={blocked === null ? 'muted' : 'blocked'} id="request-hint">
          {blocked ?? (change ? 'Review what changed first.' : whatFollows(validation))}
        </p>
      </div>
    </form>
  )
}

function Blocked({ reason }: { reason: string }) {
  const { role } = useSession()
  if (!roleAllows(role, 'approver')) return <p class="blocked">{reason}</p>
  return (
    <div class="action-row">
      <button class="button button-strong" type="button" disabled aria-describedby="request-blocked">
        Request promotion
      </button>
      <p class="blocked" id="request-blocked">
        {reason}
      </p>
    </div>
  )
}

function whatFollows({ policy: { approvals, requesterApproves = true, rollout } }: ValidationView): string {
  if (!requesterApproves) {
    return `${approvals === 1 ? 'Someone else must approve it' : `${approvals} others must approve it`} before live traffic moves.`
  }
  return approvals === 1
    ? `Your request is the only approval needed: live traffic starts to move at once, at ${formatPercent(rollout.steps[0]!)}.`
    : `Your request counts as the first of ${approvals} approvals.`
}
