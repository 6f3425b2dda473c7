import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Failure } from '../api/call-api.ts'
import { lookedAt } from '../loaded-list/list-memory.ts'
import { useObservationList } from '../loaded-list/use-observation-list.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import {
  type ObservationRoute,
  observationHref,
  observationsHref,
  parseRoute,
  validationHref,
} from '../routing/hash-route.ts'

const orderWords = { worst: 'worst first', typical: 'a typical sample', newest: 'newest first' }
const shortcutsKey = 'understudy.letterShortcuts'
/** How many observations before the last loaded one the next page is asked for: a key held down passes many a second. */
const aheadRows = 10
/** Waits before each retry of loading the next page. After the last, the reader has to come back or reload. */
const retryWaitsMs = [2000, 4000, 8000, 15_000]

/** Where this observation is in its list, with links to the next one, the previous one and the list. */
export function Neighbours({ route, validation }: { route: ObservationRoute; validation: string }) {
  const address = observationsHref(validation, route)
  const { list, more, loading, problem } = useObservationList(address, validation, route, true)
  const observations = list?.observations ?? []
  const placeOf = (id: string) => observations.findIndex((observation) => observation.id === id)
  const at = placeOf(route.id)

  // an effect would run only after painting, and be lost with a reader who goes back at once
  useLayoutEffect(() => lookedAt(address, route.id), [address, route.id])
  // the next page is loaded before its first row is needed
  const retries = useRef(0)
  useEffect(() => {
    retries.current = 0
  }, [route.id, observations.length])
  useEffect(() => {
    if (at === -1 || at < observations.length - aheadRows || !list?.nextCursor || loading) return
    if (problem === null) return more()
    const wait = isRefusal(problem) ? undefined : retryWaitsMs[retries.current++]
    if (wait === undefined) return
    const timer = setTimeout(more, wait)
    return () => clearTimeout(timer)
  }, [at, observations.length, loading])
  /** One step back in the browser leads to the list, however many observations were viewed. */
  const go = (by: Step): boolean => {
    // the address is ahead of the page until the step before this one has been rendered
    const here = parseRoute(location.hash)
    const id = here.page === 'observation' ? idBeside(observations, placeOf(here.id), by) : null
    if (id !== null) location.replace(observationHref(id, route))
    return id !== null
  }
  const letters = useArrows(go)

  const step = (by: Step, words: string, rel: 'prev' | 'next') => {
    const id = idBeside(observations, at, by)
    return id === null ? (
      <span class="step-link step-none">{words}</span>
    ) : (
      <a
        class="step-link"
        rel={rel}
        href={observationHref(id, route)}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return
          event.preventDefault()
          go(by)
        }}
      >
        {words}
      </a>
    )
  }
  return (
    <nav class="neighbours" aria-label="Observations">
      <p class="crumbs">
        <a href={validationHref(validation, { range: route.range, slice: route.slice })}>{validation}</a>
        <span aria-hidden="true">/</span>
        <a
          href={address}
          onClick={(event) => {
            if (!isOneBack(address) || event.ctrlKey || event.metaKey || event.shiftKey) return
            event.preventDefault()
            history.back()
          }}
        >
          Observations
        </a>
        <span class="muted">
          {at === -1
            ? orderWords[route.order]
            : `${at + 1} of ${observations.length}${list?.nextCursor ? '+' : ''}, ${orderWords[route.order]}`}
          {route.slice !== null && (
            <>
              , <VisibleText text={route.slice} inline />
            </>
          )}
        </span>
      </p>
      <div class="steps-to">
        {step(-1, '← Previous', 'prev')}
        {step(1, 'Next →', 'next')}
        <label class="letters">
          <input type="checkbox" checked={letters.on} onChange={letters.toggle} />
          <kbd>j</kbd> <kbd>k</kbd> keys
        </label>
      </div>
    </nav>
  )
}

/** Backward or forward in the list. */
type Step = -1 | 1

const idBeside = (observations: readonly { id: string }[], at: number, by: Step) =>
  at === -1 ? null : (observations[at + by]?.id ?? null)

/** Whether one step back in the browser leads to this address; browsers that do not tell follow the link instead. */
function isOneBack(address: string): boolean {
  const { navigation } = globalThis as { navigation?: Navigation }
  const before = navigation?.entries()[(navigation.currentEntry?.index ?? 0) - 1]
  return before?.url === new URL(address, location.href).href
}

/** A retry would be refused again, unlike after "too many requests" or a timeout. */
const isRefusal = ({ status }: Failure) =>
  status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429

/**
 * Arrow keys always work; letter keys only if they are switched on, since screen readers and speech input may send
 * them.
 */
function useArrows(go: (by: Step) => boolean) {
  const [on, setOn] = useState(() => localStorage.getItem(shortcutsKey) !== 'off')
  const now = useRef({ go, on })
  now.current = { go, on }
  // an effect would run only after painting, and lose a key that is pressed at once
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { go, on } = now.current
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || isTaken(event)) return
      const isNext = event.key === 'ArrowRight' || (on && event.key === 'j')
      const isPrevious = event.key === 'ArrowLeft' || (on && event.key === 'k')
      if ((isNext && go(1)) || (isPrevious && go(-1))) event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
  const toggle = () => {
    localStorage.setItem(shortcutsKey, on ? 'off' : 'on')
    setOn(!on)
  }
  return { on, toggle }
}

/** Keys that the focused element itself uses: for typing, choosing, scrolling sideways. */
function isTaken({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false
  if (target.closest('input:not([type=checkbox]), textarea, select, dialog')) return true
  const region = target.closest('.body-text, .table-scroll')
  return key.startsWith('Arrow') && region !== null && region.scrollWidth > region.clientWidth
}
