import type { Verdict } from '../../../../vocabulary/gate.ts'
import type { LiveGate } from '../../../../vocabulary/live-gate.ts'
import { formatCount } from '../format/number.ts'
import { Moment } from '../parts/moment.tsx'
import { VerdictMark } from '../parts/verdict-mark.tsx'

interface LiveGateListProps {
  live: LiveGate
  /** The window's own gate, which guards the steps too. */
  gate: { verdict: Verdict; reason: string; override: boolean }
}

/** The two gates that guard what is live: on the answers that clients get, and on the window as before. */
export function LiveGateList({ live, gate }: LiveGateListProps) {
  return (
    <div class="guards" data-testid="live-gate">
      <section class="guard" aria-label="Live gate">
        <div class="guard-head">
          <h3>Live gate</h3>
          <LiveVerdict live={live} />
        </div>
        <p class="muted">
          {formatCount(live.samples)} {live.samples === 1 ? 'answer' : 'answers'} of the candidate to clients since{' '}
          <Moment at={live.since} clock />
        </p>
        <ul class="guard-checks">
          {live.checks.map((check) => (
            <li key={check.metric}>
              {check.n === 0 ? <span class="no-data">no answers</span> : <VerdictMark verdict={check.verdict} />}
              <span>{check.text}</span>
            </li>
          ))}
          {live.checks.length === 0 && <li class="muted">{live.reason}</li>}
        </ul>
      </section>
      <section class="guard" aria-label="Window’s gate">
        <div class="guard-head">
          <h3>Window’s gate</h3>
          <VerdictMark verdict={gate.verdict} />
        </div>
        <p class={gate.override ? 'muted' : undefined}>
          {gate.override ? 'Set aside, because this promotion was signed against it: ' : ''}
          {gate.reason}
        </p>
      </section>
    </div>
  )
}

/** Where clients have got nothing from the candidate yet, nothing fails, and nothing has been shown either. */
export function LiveVerdict({ live }: { live: LiveGate }) {
  return live.samples === 0 && live.verdict !== 'fail' ? (
    <span class="no-data">no answers yet</span>
  ) : (
    <VerdictMark verdict={live.verdict} />
  )
}
