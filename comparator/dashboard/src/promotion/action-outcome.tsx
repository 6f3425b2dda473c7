import type { Action } from './use-action.ts'

/** The outcome of the last action, shown and announced: a form or dialog that closes says nothing. */
export function ActionOutcome({ action: { problem, done, dismiss } }: { action: Action }) {
  return (
    <>
      {problem && (
        <p class="form-problem" role="alert">
          {problem}
        </p>
      )}
      <div class={done === null ? 'visually-hidden' : 'form-done'}>
        <p role="status">{done}</p>
        {done !== null && (
          <button class="link-button" type="button" onClick={dismiss}>
            Dismiss
          </button>
        )}
      </div>
    </>
  )
}
