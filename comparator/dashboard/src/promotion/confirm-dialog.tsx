import { useEffect, useRef, useState } from 'preact/hooks'

interface ConfirmDialogProps {
  title: string
  text: string
  confirm: string
  close: () => void
  act: (comment: string) => unknown
}

/** A modal question with an optional comment; Escape and Cancel leave everything as it is. */
export function ConfirmDialog({ title, text, confirm, close, act }: ConfirmDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [comment, setComment] = useState('')
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onClose={close}>
      <form
        method="dialog"
        onSubmit={() => {
          act(comment.trim())
        }}
      >
        <h2 id="confirm-title">{title}</h2>
        <p>{text}</p>
        <label for="confirm-comment">Comment</label>
        <textarea
          id="confirm-comment"
          rows={2}
          maxLength={5000}
          value={comment}
          onInput={(event) => setComment(event.currentTarget.value)}
        />
        <div class="button-row">
          <button class="button button-danger" type="submit">
            {confirm}
          </button>
          <button class="button" type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  )
}
