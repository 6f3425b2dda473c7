import type { RefObject } from 'preact'
import { useId } from 'preact/hooks'

interface CommentFieldProps {
  value: string
  change: (value: string) => void
  /** An error shown at the field. */
  problem?: string | null
  placeholder: string
  begin: () => void
  field?: RefObject<HTMLTextAreaElement | null>
}

/** The comment that is stored with a signature. */
export function CommentField({ value, change, problem = null, placeholder, begin, field }: CommentFieldProps) {
  const id = useId()
  return (
    <>
      <label for={id}>Comment</label>
      <textarea
        id={id}
        ref={field ?? null}
        rows={2}
        maxLength={5000}
        value={value}
        aria-invalid={problem !== null}
        aria-describedby={problem === null ? undefined : `${id}problem`}
        placeholder={placeholder}
        onFocus={begin}
        onInput={(event) => change(event.currentTarget.value)}
      />
      {problem !== null && (
        <p class="form-problem" id={`${id}problem`} role="alert">
          {problem}
        </p>
      )}
    </>
  )
}
