import { useRef, useState } from 'preact/hooks'
import type { ObservationPage } from '../../../../vocabulary/api/observation-view.ts'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { type Polled, usePolled } from '../api/use-polled.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { RefreshProblem } from '../parts/refresh-problem.tsx'
import { SectionHeading } from '../parts/section-heading.tsx'
import { type ObservationList, observationHref, observationsHref } from '../routing/hash-route.ts'
import { ObservationTable } from './observation-table.tsx'

const worstShown = 5
const othersShown = 3

/**
 * A few observations with the largest disagreement, some failed ones and a few typical ones; a link leads to the rest.
 */
export function DisagreementsSection({
  validation,
  slice = null,
}: {
  validation: ValidationView
  slice?: string | null
}) {
  // the lists are frozen while someone points at them or tabs through them
  const [isPointedAt, setPointedAt] = useState(false)
  const [hasFocus, setFocus] = useState(false)
  const held = isPointedAt || hasFocus
  const list = (more: Partial<ObservationList>) => ({ slice, ...more })
  const lists = {
    worst: list({ order: 'worst', comparison: 'compared' }),
    failed: list({ order: 'worst', comparison: 'failed' }),
    typical: list({ order: 'typical' }),
  }
  const worst = useFew(validation.name, lists.worst, worstShown, held)
  const failed = useFew(validation.name, lists.failed, othersShown, held)
  const typical = useFew(validation.name, lists.typical, othersShown, held)
  const few = (polled: typeof worst) => polled.data?.observations ?? []
  const read = [worst, failed, typical]
  const hasNone = read.every((polled) => few(polled).length === 0)
  const isEmpty = hasNone && read.every(({ data }) => data !== null)
  const hasNoWorst = worst.data !== null && few(worst).length === 0 && !hasNone
  const compared = useFew(validation.name, hasNoWorst ? { slice, ...comparedSince(validation) } : null, 1, held)
  const awaited = hasNoWorst ? [...read, compared] : read
  const isAwaited = ({ data, problem }: typeof worst) => data === null && problem === null
  const tableOf = (caption: string, polled: typeof worst, list: Partial<ObservationList>) => (
    <ObservationTable
      caption={caption}
      observations={few(polled)}
      kind={validation.kind}
      hrefOf={(id) => observationHref(id, list)}
    />
  )
  return (
    <section
      class="section"
      aria-labelledby="disagreements"
      onPointerEnter={() => setPointedAt(true)}
      onPointerLeave={() => setPointedAt(false)}
      onFocusIn={() => setFocus(true)}
      onFocusOut={() => setFocus(false)}
    >
      <div class="section-head">
        <SectionHeading id="disagreements">Worst disagreements</SectionHeading>
        {few(worst).length > 0 && <a href={observationsHref(validation.name, lists.worst)}>All disagreements</a>}
      </div>
      <Problems of={read} />
      {isAwaited(worst) && <Loading what="observations" height={260} />}
      {isEmpty && <NothingYet keeps={validation.policy.storeBodies !== 'none'} />}
      {hasNoWorst && compared.data !== null && (
        <p>
          {few(compared).length > 0
            ? 'None: all answers compared so far are the same.'
            : 'None: no answers have been compared yet.'}
        </p>
      )}
      {few(worst).length > 0 && tableOf('Worst disagreements', worst, lists.worst)}
      {few(failed).length > 0 && (
        <>
          <div class="section-head">
            <h3>The candidate failed</h3>
            <a href={observationsHref(validation.name, lists.failed)}>All failures</a>
          </div>
          {tableOf('The candidate failed', failed, lists.failed)}
        </>
      )}
      {few(typical).length > 0 && (
        <>
          <div class="section-head">
            <h3>Typical pairs</h3>
            <a href={observationsHref(validation.name, lists.typical)}>More of the sample</a>
          </div>
          {tableOf('Typical pairs', typical, lists.typical)}
        </>
      )}
      {!isAwaited(worst) && awaited.some(isAwaited) && <Loading what="observations" height={160} />}
      <p>
        <a href={observationsHref(validation.name, list({}))}>All observations</a>
      </p>
    </section>
  )
}

/** Why a list is missing or out of date; a problem that several share is shown once. */
function Problems({ of }: { of: Polled<unknown>[] }) {
  const alike = Map.groupBy(of, ({ problem, confirmedAt }) => problem && `${confirmedAt === null} ${problem.message}`)
  return [...alike].map(([key, polled]) => (
    <RefreshProblem
      key={key}
      polled={{
        ...polled[0]!,
        refresh: () => {
          for (const { refresh } of polled) refresh()
        },
      }}
    />
  ))
}

/**
 * Tells whether anything was compared when no observation differs: the list of the worst has only those that differ,
 * and the newest come from all windows unless `from` limits them.
 */
const comparedSince = ({ window }: ValidationView) =>
  ({ order: 'newest', comparison: 'compared', from: window.beganAt }) as const

type Asked = Partial<Pick<ObservationList, 'order' | 'comparison' | 'slice'>> & { from?: string | null }

/** `null` asks nothing. */
function useFew(name: string, of: Asked | null, limit: number, held: boolean) {
  const asked = Object.entries({ ...of, limit: String(limit) })
  const search = new URLSearchParams(asked.flatMap(([name, value]) => (value ? [[name, value]] : [])))
  const path = `/v1/validations/${encodeURIComponent(name)}/observations?${search}`
  // a reader who arrives at the section's own address is inside it before its list has loaded
  const shown = useRef<string | null>(null)
  const polled = usePolled<ObservationPage>(of === null || (held && shown.current === path) ? null : path, () => path)
  if (polled.data !== null && !polled.isBehind) shown.current = path
  return polled
}

function NothingYet({ keeps }: { keeps: boolean }) {
  return (
    <EmptyState title="Nothing to look at yet">
      <p>
        The requests on which the two models differ most appear here, with their inputs if bodies are kept
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
