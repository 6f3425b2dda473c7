import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { useDraft } from './use-draft.ts'

interface ConfirmDialogProps {
  /** Of what the comment is, such as a promotion's id: a draft of it is offered for that alone. */
  of: string
  title: string
  text: string
  confirm: string
  close: () => void
  /** Resolves to whether it was done. */
  act: (comment: string) => Promise<boolean>
  /** The comment is what the act is remembered by: it must be there. */
  reasonNeeded?: boolean
  /** Must be typed before anything can be confirmed. */
  nameToType?: string
  children?: ComponentChildren
}

/**
 * A modal question with a comment; Escape and Cancel leave everything as it is, and the focus where it was. What was
 * typed stays in this tab where the session ends under it, or the act does not go through.
 */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { of, title, text, confirm, close, act, reasonNeeded = false, nameToType, children } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const [comment, setComment] = useDraft(`${of} ${title}`)
  const [typed, setTyped] = useState('')
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  const missing = [
    ...(nameToType !== undefined && typed !== nameToType ? ['the name'] : []),
    ...(reasonNeeded && comment.trim() === '' ? ['a reason'] : []),
  ]
  return (
    <dialog
      ref={dialog}
      aria-labelledby={`${id}title`}
      aria-describedby={`${id}text`}
      onClose={close}
      onCancel={() => setComment('')}
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
          <button
            class="button"
            type="button"
            onClick={() => {
              setComment('')
              dialog.current?.close()
            }}
          >
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
