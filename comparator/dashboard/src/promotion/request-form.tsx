import { useRef, useState } from 'preact/hooks'
import type { ValidationView } from '../../../../vocabulary/api.ts'
import type { Action } from './use-action.ts'

interface RequestFormProps {
  validation: ValidationView
  gateId: string | null
  blocked: string | null
  action: Action
}

export function RequestForm({ validation, gateId, blocked, action }: RequestFormProps) {
  const [comment, setComment] = useState('')
  const [missing, setMissing] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const { approvals, rollout } = validation.policy

  const submit = async (event: Event) => {
    event.preventDefault()
    setMissing(comment.trim() === '')
    if (comment.trim() === '') return field.current?.focus()
    const path = `/v1/validations/${encodeURIComponent(validation.name)}/promotion`
    if (await action.run(path, { gateId, comment: comment.trim() })) setComment('')
  }

  if (blocked !== null) {
    return (
      <div class="action-row">
        <button class="button button-strong" type="button" disabled aria-describedby="request-blocked">
          Request promotion
        </button>
        <p class="blocked" id="request-blocked">
          {blocked}
        </p>
      </div>
    )
  }
  return (
    <form class="signing" onSubmit={submit}>
      <label for="request-comment">Comment</label>
      <textarea
        id="request-comment"
        ref={field}
        rows={2}
        maxLength={5000}
        value={comment}
        aria-invalid={missing}
        aria-describedby="request-hint"
        placeholder="Why is this candidate ready?"
        onInput={(event) => setComment(event.currentTarget.value)}
      />
      {missing && (
        <p class="form-problem" role="alert">
          Say in a sentence why: it stays beside the decision, in the audit.
        </p>
      )}
      <div class="action-row">
        <button class="button button-strong" type="submit" disabled={action.running}>
          Request promotion
        </button>
        <p class="muted" id="request-hint">
          {approvals === 1
            ? `Your request is the one approval needed: live traffic starts to move at once, with ${rollout.steps[0]} %.`
            : `Your request counts as the first of ${approvals} approvals.`}
        </p>
      </div>
    </form>
  )
}
