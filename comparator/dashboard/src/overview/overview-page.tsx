import type { ValidationView } from '../../../../vocabulary/api.ts'
import { usePolled } from '../api/use-polled.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { RefreshProblem } from '../parts/refresh-problem.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { VerdictChanges } from '../parts/verdict-changes.tsx'
import { byAttention, summaryOf } from './attention.ts'
import { ValidationCard } from './validation-card.tsx'

export function OverviewPage() {
  const polled = usePolled<{ validations: ValidationView[] }>('validations', () => '/v1/validations')
  usePageTitle('Overview')
  const validations = polled.data?.validations ?? []
  return (
    <>
      <header class="page-head">
        <h1>Validations</h1>
        {validations.length > 0 && <p class="lead">{summaryOf(validations)}.</p>}
      </header>
      <RefreshProblem polled={polled} />
      <VerdictChanges verdicts={validations} />
      {polled.data === null && polled.problem === null && <Loading what="validations" />}
      {polled.data !== null && validations.length === 0 && <NoValidations />}
      {validations.length > 0 && (
        <ul class="cards" data-testid="validations">
          {byAttention(validations).map((validation) => (
            <ValidationCard key={validation.name} validation={validation} />
          ))}
        </ul>
      )}
    </>
  )
}

const example = `comparator:
  validations:
    - name: my-candidate
      output: { kind: classification, scores: /predictions }
      window: { duration: 7d, samplesMin: 10000, coverageMin: 0.95 }
      gate:
        - { metric: agreement, min: 0.99 }`

function NoValidations() {
  return (
    <EmptyState title="No validation is configured yet" heading="h2">
      <p>A validation measures one candidate against one primary. Name the first in the comparator’s configuration:</p>
      <pre>{example}</pre>
      <p>Restart the comparator, and it appears here by itself.</p>
    </EmptyState>
  )
}
