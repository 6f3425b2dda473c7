/** A triangle, an outline that no verdict has. */
export function AlarmIcon() {
  return (
    <svg class="verdict-icon" viewBox="0 0 16 16" aria-hidden="true">
      <path class="solid" d="M8 1.2 15.4 14.4H.6z" />
      <path class="cut" d="M8 6v4M8 12.3v.1" />
    </svg>
  )
}
