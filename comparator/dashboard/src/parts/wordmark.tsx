/** The two legs: a solid line for the primary, a dashed one for the candidate. */
export function Wordmark() {
  return (
    <span class="wordmark">
      <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
        <circle class="fill-primary" cx="9" cy="12" r="7" />
        <circle class="stroke-candidate" cx="15" cy="12" r="6" fill="none" stroke-width="2" stroke-dasharray="3 2" />
      </svg>
      Understudy
    </span>
  )
}
