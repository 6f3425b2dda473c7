import type { Action } from './use-action.ts'

/** What became of the last act, seen and said aloud: a form or a dialog that closes tells nothing. */
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
