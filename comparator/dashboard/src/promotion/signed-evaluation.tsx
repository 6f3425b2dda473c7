import type { GateEvaluation } from '../../../../vocabulary/api/gate.ts'
import { Moment } from '../parts/moment.tsx'
import { VerdictMark } from '../parts/verdict-mark.tsx'

/** Exactly what a signature covers. */
export function SignedEvaluation({ evaluation }: { evaluation: GateEvaluation }) {
  return (
    <p class="signed-evaluation" data-testid="signed-evaluation">
      <VerdictMark verdict={evaluation.verdict} />
      <span class="muted">
        You sign evaluation <code title={evaluation.id}>{evaluation.id.slice(-8)}</code>, judged{' '}
        <Moment at={evaluation.at} clock />
      </span>
    </p>
  )
}
