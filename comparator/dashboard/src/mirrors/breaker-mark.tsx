import type { BreakerState } from '../../../../vocabulary/mirrors.ts'

const words: Record<BreakerState, { word: string; meaning: string }> = {
  closed: { word: 'Closed', meaning: 'every shadow request is sent' },
  open: { word: 'Open', meaning: 'too many failures in a row: nothing is sent for now' },
  halfOpen: { word: 'Half-open', meaning: 'one request at a time is sent to probe it' },
}

/** The state of a circuit breaker: a drawn switch and a word. */
export function BreakerMark({ breaker }: { breaker: BreakerState }) {
  const { word, meaning } = words[breaker]
  return (
    <span class={`breaker breaker-${breaker}`} title={meaning}>
      <svg viewBox="0 0 24 12" width="24" height="12" aria-hidden="true">
        <path d="M1 9H7M17 9H23" />
        <path d={breaker === 'closed' ? 'M7 9H17' : breaker === 'open' ? 'M7 9 15.5 2' : 'M7 9 16.5 5.5'} />
        <circle cx="7" cy="9" r="1.6" />
        <circle cx="17" cy="9" r="1.6" />
      </svg>
      {word}
    </span>
  )
}
