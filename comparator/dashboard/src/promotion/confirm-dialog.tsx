import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useDraft } from './use-draft.ts'

interface ConfirmDialogProps {
  /** What the comment belongs to, such as a promotion's id: drafts are kept per id. */
  of: string
  title: string
  text: string
  confirm: string
  close: () => void
  /** Resolves to whether it was done. */
  act: (comment: string) => Promise<boolean>
  /** Whether a comment is required. */
  reasonNeeded?: boolean
  /** Must be typed before anything can be confirmed. */
  nameToType?: string
  children?: ComponentChildren
}

/**
 * A modal question with a comment. Escape and Cancel change nothing and restore the focus. What was typed stays in this
 * tab if the session ends meanwhile or the action fails.
 */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { of, title, text, confirm, close, act, reasonNeeded = false, nameToType, children } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const [comment, setComment] = useDraft(`${of} ${title}`)
  const [typed, setTyped] = useState('')
  const id = useId()
  // an effect would run only after painting, and leave a key that is pressed at once to the page behind
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const hasLeft = useRef(false)
  const leave = () => {
    if (!hasLeft.current) close()
    hasLeft.current = true
  }
  // the close event follows only in a later task, when the same question may have been asked again
  const cancel = () => {
    setComment('')
    dialog.current?.close()
    leave()
  }
  const missing = [
    ...(nameToType !== undefined && typed !== nameToType ? ['the name'] : []),
    ...(reasonNeeded && comment.trim() === '' ? ['a reason'] : []),
  ]
  return (
    <dialog
      ref={dialog}
      aria-labelledby={`${id}title`}
      aria-describedby={`${id}text`}
      onClose={leave}
      onCancel={cancel}
    >
      <form
        method="dialog"
        onSubmit={async (event) => {
          if (missing.length > 0) event.preventDefault()
          else if (await act(comment.trim())) setComment('')
        }}
      >
        <h2 id={`${id}title`}>{title}</h2>
        <p id={`${id}text`}>{text}</p>
        {children}
        {nameToType !== undefined && (
          <>
            <label for={`${id}name`}>
              Type <code class="name-to-type">{nameToType}</code> to confirm
            </label>
            <input
              id={`${id}name`}
              type="text"
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </>
        )}
        <label for={`${id}comment`}>{reasonNeeded ? 'Reason' : 'Comment'}</label>
        <textarea
          id={`${id}comment`}
          rows={2}
          maxLength={5000}
          value={comment}
          required={reasonNeeded}
          onInput={(event) => setComment(event.currentTarget.value)}
        />
        <div class="button-row">
          <button
            class="button button-danger"
            type="submit"
            disabled={missing.length > 0}
            aria-describedby={missing.length > 0 ? `${id}missing` : undefined}
          >
            {confirm}
          </button>
          <button class="button" type="button" onClick={cancel}>
            Cancel
          </button>
          {missing.length > 0 && (
            <p class="blocked" id={`${id}missing`}>
              Missing: {missing.join(' and ')}.
            </p>
          )}
        </div>
      </form>
    </dialog>
  )
}
