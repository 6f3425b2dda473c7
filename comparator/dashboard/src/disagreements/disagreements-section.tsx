import { useRef, useState } from 'preact/hooks'
import type { ObservationPage } from '../../../../vocabulary/observation-view.ts'
import type { ValidationView } from '../../../../vocabulary/validation.ts'
import { usePolled } from '../api/use-polled.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { RefreshProblem } from '../parts/refresh-problem.tsx'
import { SectionHeading } from '../parts/section-heading.tsx'
import { type ObservationList, observationHref, observationsHref } from '../routing/hash-route.ts'
import { ObservationTable } from './observation-table.tsx'

const worstShown = 5
const typicalShown = 3

/** The few that differ most, and a few as they usually are; the rest a step away. */
export function DisagreementsSection({
  validation,
  slice = null,
}: {
  validation: ValidationView
  slice?: string | null
}) {
  // what someone points at or tabs through stands still
  const [held, setHeld] = useState(false)
  const worst = useFew(validation.name, 'worst', worstShown, slice, held)
  const typical = useFew(validation.name, 'typical', typicalShown, slice, held)
  const list = (order: ObservationList['order']) => ({ order, slice })
  const isEmpty = worst.data?.observations.length === 0 && !typical.data?.observations.length
  return (
    <section
      class="section"
      aria-labelledby="disagreements"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
    >
      <div class="section-head">
        <SectionHeading id="disagreements">Worst disagreements</SectionHeading>
        <a href={observationsHref(validation.name, list('worst'))}>All observations</a>
      </div>
      <RefreshProblem polled={worst} />
      {worst.data === null && worst.problem === null && <Loading what="observations" height={260} />}
      {isEmpty && <NothingYet keeps={validation.policy.storeBodies !== 'none'} />}
      {worst.data?.observations.length === 0 && !isEmpty && <p>None: all answers are the same so far.</p>}
      {worst.data && worst.data.observations.length > 0 && (
        <ObservationTable
          caption="Worst disagreements"
          observations={worst.data.observations}
          kind={validation.kind}
          hrefOf={(id) => observationHref(id, list('worst'))}
        />
      )}
      {typical.data && typical.data.observations.length > 0 && (
        <>
          <div class="section-head">
            <h3>Typical pairs</h3>
            <a href={observationsHref(validation.name, list('typical'))}>More of the sample</a>
          </div>
          <ObservationTable
            caption="Typical pairs"
            observations={typical.data.observations}
            kind={validation.kind}
            hrefOf={(id) => observationHref(id, list('typical'))}
          />
        </>
      )}
    </section>
  )
}

function useFew(name: string, order: ObservationList['order'], limit: number, slice: string | null, held: boolean) {
  const search = new URLSearchParams({ order, limit: String(limit), ...(slice !== null && { slice }) })
  const path = `/v1/validations/${encodeURIComponent(name)}/observations?${search}`
  // who comes by the section's address is in it before there is anything to hold
  const shown = useRef<string | null>(null)
  const polled = usePolled<ObservationPage>(held && shown.current === path ? null : path, () => path)
  if (polled.data !== null && !polled.isBehind) shown.current = path
  return polled
}

function NothingYet({ keeps }: { keeps: boolean }) {
  return (
    <EmptyState title="Nothing to look at yet">
      <p>
        The requests on which the two models differ most come here, with their inputs where bodies are kept
        {keeps ? (
          '.'
        ) : (
          <>
            {' '}
            (this validation keeps none: set <code>store.bodies</code>).
          </>
        )}
      </p>
    </EmptyState>
  )
}
