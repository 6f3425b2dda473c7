import { useEffect, useRef, useState } from 'preact/hooks'
import type { ObservationPage } from '../../../../vocabulary/api/observation-view.ts'
import type { Failure } from '../api/call-api.ts'
import { serverNow } from '../api/server-clock.ts'
import { type Session, useSession } from '../api/session-context.ts'
import type { ObservationList } from '../routing/hash-route.ts'
import { rangeQuery } from '../routing/range.ts'
import { type ReadList, recallList, rememberList } from './list-memory.ts'

const pageSize = 50

interface State {
  list: ReadList | null
  problem: Failure | null
  /** The next page, or the list from its beginning. */
  loading: 'more' | 'anew' | null
}

/**
 * A list in keyset pages. It is frozen, so that it does not move while someone reads it; `restart` loads it again, and
 * `retry` what could not be loaded. `recall`: restores the list as it was read before, if it is still in memory.
 */
export function useObservationList(
  address: string,
  validation: string | null,
  query: ObservationList,
  recall: boolean,
) {
  const { call } = useSession()
  const [state, setState] = useState<State>(() => ({
    list: recall ? recallList(address) : null,
    problem: null,
    loading: null,
  }))

  /** The last request, which continues `before`; answers to earlier ones belong to another list. */
  const last = useRef<{ before: ReadList | null }>({ before: null })

  const load = async (before: ReadList | null) => {
    if (validation === null) return
    const asked = { before }
    last.current = asked
    // a list that is loaded anew stays until then, and so does the focus in it
    setState(({ list }) => ({ list, problem: null, loading: before === null ? 'anew' : 'more' }))
    const result = await nextPage(call, validation, query, before)
    if (asked !== last.current) return
    if (result.kind === 'failed') setState(({ list }) => ({ list, problem: result, loading: null }))
    else {
      rememberList(address, result.list)
      setState({ list: result.list, problem: null, loading: null })
    }
  }
  useEffect(() => {
    if (state.list === null) load(null)
  }, [validation])

  return {
    ...state,
    more: () => {
      if (!state.loading && state.list?.nextCursor) load(state.list)
    },
    restart: () => load(null),
    retry: () => load(last.current.before),
  }
}

async function nextPage(
  call: Session['call'],
  validation: string,
  { order, slice, comparison, range }: ObservationList,
  before: ReadList | null,
): Promise<{ kind: 'ok'; list: ReadList } | ({ kind: 'failed' } & Failure)> {
  const asOf = before?.asOf ?? serverNow()
  const search = new URLSearchParams([['order', order], ['limit', String(pageSize)], ...rangeQuery(range, asOf)])
  if (slice !== null) search.set('slice', slice)
  if (comparison !== null) search.set('comparison', comparison)
  if (before?.nextCursor) search.set('cursor', before.nextCursor)
  const result = await call<ObservationPage>(`/v1/validations/${encodeURIComponent(validation)}/observations?${search}`)
  if (result.kind === 'failed') return result
  const { observations, nextCursor } = result.data
  const known = new Set(before?.observations.map(({ id }) => id))
  const fresh = observations.filter(({ id }) => !known.has(id))
  return { kind: 'ok', list: { observations: [...(before?.observations ?? []), ...fresh], nextCursor, asOf } }
}
