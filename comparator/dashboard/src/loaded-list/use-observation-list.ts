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
  loading: boolean
}

/**
 * A list in keyset pages. It is frozen, so that it does not move while someone reads it; `restart` loads it again.
 * `recall`: restores the list as it was read before, if it is still in memory.
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
    loading: false,
  }))

  /** Incremented by each request; answers to earlier ones belong to another list. */
  const turn = useRef(0)

  const load = async (before: ReadList | null) => {
    if (validation === null) return
    const asked = ++turn.current
    setState({ list: before, problem: null, loading: true })
    const result = await nextPage(call, validation, query, before)
    if (asked !== turn.current) return
    if (result.kind === 'failed') setState({ list: before, problem: result, loading: false })
    else {
      rememberList(address, result.list)
      setState({ list: result.list, problem: null, loading: false })
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
