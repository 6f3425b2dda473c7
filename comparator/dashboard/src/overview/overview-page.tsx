import type { ValidationView } from '../../../../vocabulary/api.ts'
import { usePolled } from '../api/use-polled.ts'
import { FirstRun } from '../first-run/first-run.tsx'
import { RefreshProblem } from '../parts/refresh-problem.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { VerdictChanges } from '../parts/verdict-changes.tsx'
import { type Group, grouped, groupTitles, summaryOf } from './needs.ts'
import { OverviewSkeleton } from './overview-skeleton.tsx'
import { ValidationRow } from './validation-row.tsx'

export function OverviewPage() {
  const polled = usePolled<{ validations: ValidationView[] }>('validations', () => '/v1/validations')
  usePageTitle('Overview')
  const validations = polled.data?.validations ?? []
  const isFirstRun = polled.data !== null && validations.every(({ lastObservationAt }) => lastObservationAt === null)
  return (
    <>
      <header class="page-head">
        <h1>Validations</h1>
        <p class="lead">
          {polled.data === null ? ' ' : isFirstRun ? 'Waiting for the first pair.' : `${summaryOf(validations)}.`}
        </p>
      </header>
      <RefreshProblem polled={polled} />
      <VerdictChanges verdicts={validations} />
      {polled.data === null && polled.problem === null && <OverviewSkeleton />}
      {isFirstRun && <FirstRun validations={validations} />}
      {validations.length > 0 && (
        <div class={polled.problem === null ? 'overview' : 'overview overview-old'} data-testid="validations">
          {grouped(validations).map((group) => (
            <GroupSection key={group.name} group={group} />
          ))}
        </div>
      )}
    </>
  )
}

function GroupSection({ group: { name, validations } }: { group: Group<ValidationView> }) {
  return (
    <section class="group" aria-labelledby={`group-${name}`}>
      <header class="group-head">
        <h2 id={`group-${name}`}>
          {groupTitles[name]} <span class="group-count">{validations.length}</span>
        </h2>
        <div class="group-columns" aria-hidden="true">
          <span>Decides, against its limit</span>
          <div class="row-figures">
            <span>Coverage</span>
            <span>Samples</span>
            <span>Time left</span>
            <span>Rollout</span>
          </div>
        </div>
      </header>
      <ul class="rows">
        {validations.map((validation) => (
          <ValidationRow key={validation.name} validation={validation} />
        ))}
      </ul>
    </section>
  )
}
