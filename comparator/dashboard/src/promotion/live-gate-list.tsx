import type { LiveCheck, LiveGate } from '../../../../vocabulary/api/live-gate.ts'
import type { Verdict } from '../../../../vocabulary/verdict.ts'
import { formatCounted } from '../format/number.ts'
import { Moment } from '../parts/moment.tsx'
import { VerdictMark } from '../parts/verdict-mark.tsx'
import { LiveMark, LiveVerdict } from './live-verdict.tsx'
import { harmWords, liveWords } from './live-words.ts'

interface LiveGateListProps {
  live: LiveGate
  /** The window's own gate, which guards the steps too. */
  gate: { verdict: Verdict; sentence: string; override: boolean }
  /** Whether the rollout is complete, after which nothing is rolled back automatically. */
  done: boolean
}

/** The two gates that guard live traffic: one on the answers that clients get, one on the window. */
export function LiveGateList({ live, gate, done }: LiveGateListProps) {
  return (
    <div class="guards" data-testid="live-gate">
      <section class="guard" aria-label="Live gate">
        <div class="guard-head">
          <h3>Live gate</h3>
          <LiveVerdict live={live} />
        </div>
        <p class="muted">
          {live.samples > 1 && 'The newest '}
          {formatCounted(live.samples, 'answer')} from the candidate to clients since <Moment at={live.since} clock />.{' '}
          {harmWords(done)}
        </p>
        {live.checks.length === 0 ? (
          <p class="muted">{live.reason}</p>
        ) : (
          <ul class="guard-checks">
            {live.checks.map((check) => (
              <Check key={check.metric} check={check} />
            ))}
          </ul>
        )}
      </section>
      <section class="guard guard-line" aria-label="Window’s gate">
        <div class="guard-head">
          <h3>Window’s gate</h3>
          <VerdictMark verdict={gate.verdict} />
        </div>
        <p class="muted">
          {gate.override ? 'Overridden by this promotion: ' : ''}
          {gate.sentence}
        </p>
      </section>
    </div>
  )
}

/** A check that found no harm has no mark. */
function Check({ check }: { check: LiveCheck }) {
  const { label, text } = liveWords(check)
  return (
    <li title={check.text} data-testid={`live-${check.metric}`}>
      <span>{label}</span>
      <span class="guard-figures">{text}</span>
      {check.n > 0 && check.verdict !== 'pass' && <LiveMark verdict={check.verdict} />}
    </li>
  )
}
