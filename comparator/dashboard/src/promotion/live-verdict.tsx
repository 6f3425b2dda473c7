import type { LiveGate } from '../../../../vocabulary/api/live-gate.ts'
import type { Verdict } from '../../../../vocabulary/verdict.ts'
import { liveVerdictWords } from './live-words.ts'

/** Before clients have received anything from the candidate, nothing fails, but nothing has been shown either. */
export function LiveVerdict({ live }: { live: LiveGate }) {
  return live.samples === 0 && live.verdict !== 'fail' ? (
    <span class="no-data">no answers yet</span>
  ) : (
    <LiveMark verdict={live.verdict} />
  )
}

/** An open eye rather than the gate's tick: the live gate watches and reports what it has seen. */
export function LiveMark({ verdict }: { verdict: Verdict }) {
  return (
    <span class={`verdict live-mark live-mark-${verdict}`} data-live-verdict={verdict}>
      <svg class="verdict-icon" viewBox="0 0 16 16" aria-hidden="true">
        {verdict === 'fail' ? (
          <>
            <path class="solid" d="M5 .6h6L15.4 5v6L11 15.4H5L.6 11V5z" />
            <path class="cut" d="M5.4 5.4l5.2 5.2M10.6 5.4l-5.2 5.2" />
          </>
        ) : (
          <>
            <path class="hand" d="M1 8c1.8-3 4.2-4.5 7-4.5S13.2 5 15 8c-1.8 3-4.2 4.5-7 4.5S2.8 11 1 8z" />
            <circle class={verdict === 'pass' ? 'solid' : 'hand'} cx="8" cy="8" r="2" />
          </>
        )}
      </svg>
      {liveVerdictWords[verdict]}
    </span>
  )
}
