import { useState } from 'preact/hooks'
import type { ObservationPage, ObservationView, ValidationView } from '../../../../vocabulary/api.ts'
import { usePages } from '../api/use-pages.ts'
import { formatUtcClock } from '../format/time.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { RefreshProblem } from '../parts/refresh-problem.tsx'
import { DisagreementRow } from './disagreement-row.tsx'

const pageSize = 12
const itemsOf = (page: ObservationPage): ObservationView[] => page.observations

export function DisagreementsSection({ validation }: { validation: ValidationView }) {
  const [open, setOpen] = useState<string | null>(null)
  const path = `/v1/validations/${encodeURIComponent(validation.name)}/observations?order=worst&limit=${pageSize}`
  const list = usePages(path, itemsOf, open !== null)
  const shown = list.items?.filter((observation) => observation.comparison !== 'skipped')
  return (
    <section class="section" aria-labelledby="disagreements">
      <div class="section-head">
        <h2 id="disagreements">Worst disagreements</h2>
        {list.still && list.confirmedAt !== null && (
          <p class="muted">
            As of {formatUtcClock(list.confirmedAt)}.{' '}
            <button
              class="link-button"
              type="button"
              onClick={() => {
                setOpen(null)
                list.restart()
              }}
            >
              Follow live again
            </button>
          </p>
        )}
      </div>
      {list.problem && (
        <RefreshProblem polled={{ problem: list.problem, confirmedAt: list.confirmedAt, refresh: list.restart }} />
      )}
      {!shown && !list.problem && <p class="loading">Loading observations…</p>}
      {shown?.length === 0 && (
        <EmptyState title="Nothing to look at yet">
          The requests on which the two models differ most come here, with their inputs where bodies are kept
          {validation.policy.storeBodies === 'none' ? (
            <>
              {' '}
              (this validation keeps none: set <code>store.bodies</code>)
            </>
          ) : null}
          .
        </EmptyState>
      )}
      {shown && shown.length > 0 && (
        <ol class="disagreements">
          {shown.map((observation) => (
            <DisagreementRow
              key={observation.id}
              observation={observation}
              open={open === observation.id}
              toggle={() => setOpen(open === observation.id ? null : observation.id)}
            />
          ))}
        </ol>
      )}
      {list.nextCursor !== null && (
        <button class="button" type="button" onClick={list.loadMore}>
          Load more
        </button>
      )}
    </section>
  )
}
