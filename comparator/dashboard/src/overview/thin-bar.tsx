interface ThinBarProps {
  /** [0, 1] */
  share: number
  needAt?: number
  short?: boolean
  /** The candidate's share of live traffic; the primary has the rest. */
  live?: boolean
}

/** A share as a bar; the number beside it says the same. */
export function ThinBar({ share, needAt, short, live }: ThinBarProps) {
  const kind = live ? ' thin-bar-live' : short ? ' thin-bar-short' : ''
  return (
    <span class={`thin-bar${kind}`} aria-hidden="true">
      <span class="thin-fill" style={{ width: `${Math.round(share * 1000) / 10}%` }} />
      {needAt !== undefined && <span class="thin-need" style={{ left: `${needAt * 100}%` }} />}
    </span>
  )
}
