import { useEffect, useRef } from 'preact/hooks'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { usePolled } from '../api/use-polled.ts'
import { formatCount } from '../format/number.ts'
import { keepPlace, lastLookedAt, lookedAt, placeHere } from '../loaded-list/list-memory.ts'
import { useFocusOnNew } from '../loaded-list/use-focus-on-new.ts'
import { useObservationList } from '../loaded-list/use-observation-list.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { Moment } from '../parts/moment.tsx'
import { RefreshProblem } from '../parts/refresh-problem.tsx'
import { UnknownValidation } from '../parts/unknown-validation.tsx'
import { usePageTitle } from '../parts/use-page-title.ts'
import { formatRoute, type ObservationsRoute, observationHref, validationHref } from '../routing/hash-route.ts'
import { ListFilters } from './list-filters.tsx'
import { ObservationTable } from './observation-table.tsx'

const metadataEveryMs = 15_000

/** All observations of a validation, ordered and filtered as its address says. */
export function ObservationsPage({ route }: { route: ObservationsRoute }) {
  const { name } = route
  const path = `/v1/validations/${encodeURIComponent(name)}`
  const validation = usePolled<ValidationView>(path, () => path, metadataEveryMs)
  const address = formatRoute(route)
  usePageTitle(`Observations of ${name}`)

  if (validation.problem?.status === 404) return <UnknownValidation name={name} />
  return (
    <>
      <header class="page-head">
        <p class="crumbs">
          <a href={validationHref(name, { range: route.range, slice: route.slice })}>{name}</a>
        </p>
        <h1>Observations</h1>
      </header>
      <ListFilters route={route} validation={validation.data} />
      <List key={address} route={route} address={address} validation={validation.data} />
    </>
  )
}

interface ListProps {
  route: ObservationsRoute
  address: string
  validation: ValidationView | null
}

function List({ route, address, validation }: ListProps) {
  const place = useRef(placeHere())
  const list = useObservationList(address, route.name, route, place.current !== null)
  const shown = list.list?.observations
  const focusOnNew = useFocusOnNew(shown, ({ id }) => `observation-${id}`)

  // going back restores the scroll position and the observation that was viewed last
  useEffect(() => {
    if (place.current === null || !shown) return
    const { scrollY, id } = place.current
    place.current = null
    const frame = requestAnimationFrame(() => {
      const looked = document.getElementById(`observation-${lastLookedAt(address) ?? id}`)
      scrollTo(0, scrollY)
      looked?.focus({ preventScroll: true })
      looked?.scrollIntoView({ block: 'nearest' })
    })
    return () => cancelAnimationFrame(frame)
  }, [shown])

  if (!shown) {
    return list.problem ? (
      <RefreshProblem polled={{ problem: list.problem, confirmedAt: null, refresh: list.retry }} />
    ) : (
      <Loading what="observations" />
    )
  }
  return (
    <section class="section" aria-label="Observations">
      <div class="list-head">
        <p class="muted" role="status">
          {formatCount(shown.length)} shown{list.list!.nextCursor ? ', there are more' : ''}
        </p>
        <p class="muted">
          As of <Moment at={list.list!.asOf} clock />.{' '}
          <button class="link-button" type="button" aria-busy={list.loading === 'anew'} onClick={list.restart}>
            {list.loading === 'anew' ? 'Refreshing…' : 'Refresh'}
          </button>
        </p>
      </div>
      {shown.length === 0 ? (
        <EmptyState title="No matching observations">
          <p>
            {noneWords(route)}{' '}
            <a href={formatRoute({ ...route, slice: null, comparison: null, range: { kind: 'window' } })}>
              Without filters
            </a>
          </p>
        </EmptyState>
      ) : (
        <ObservationTable
          caption={`Observations of ${route.name}, ${route.order} first`}
          observations={shown}
          kind={validation?.kind ?? 'json'}
          hrefOf={(id) => observationHref(id, route)}
          leave={(id) => {
            lookedAt(address, id)
            keepPlace({ scrollY, id })
          }}
        />
      )}
      {list.problem && (
        <RefreshProblem polled={{ problem: list.problem, confirmedAt: list.list!.asOf, refresh: list.retry }} />
      )}
      {list.list!.nextCursor !== null && (
        <button
          class="button more"
          type="button"
          aria-busy={list.loading === 'more'}
          onClick={() => {
            focusOnNew()
            list.more()
          }}
        >
          {list.loading === 'more' ? 'Loading more…' : 'Show more'}
        </button>
      )}
    </section>
  )
}

function noneWords({ order, comparison }: ObservationsRoute): string {
  if (order !== 'worst') return 'None was recorded in this part of the traffic.'
  return comparison === 'failed'
    ? 'The candidate failed nowhere in the current window, in this part of the traffic.'
    : 'None in the current window differs in this part of the traffic.'
}
