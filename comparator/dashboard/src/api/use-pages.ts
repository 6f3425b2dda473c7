import { useEffect, useState } from 'preact/hooks'
import { useSession } from '../session/session-context.ts'
import type { Failure } from './call-api.ts'
import { usePolled } from './use-polled.ts'

interface Page<Item> {
  items: Item[]
  nextCursor: string | null
}

/**
 * A list by cursor. The first page stays live; once more is loaded, or while `held`, the list stands still, so that
 * what someone reads does not move under them. `path` has no cursor; `itemsOf` names the answer's list.
 */
export function usePages<Answer extends { nextCursor: string | null }, Item>(
  path: string,
  itemsOf: (answer: Answer) => Item[],
  held: boolean,
) {
  const { call } = useSession()
  const [kept, setKept] = useState<Page<Item> | null>(null)
  const [more, setMore] = useState(false)
  const [problem, setProblem] = useState<Failure | null>(null)
  const still = held || more
  const live = usePolled<Answer>(still && kept !== null ? null : path, () => path)

  useEffect(() => {
    if (live.data !== null && !still) setKept({ items: itemsOf(live.data), nextCursor: live.data.nextCursor })
  }, [live.data, still])

  const loadMore = async () => {
    const cursor = kept?.nextCursor
    if (!kept || !cursor) return
    setMore(true)
    const result = await call<Answer>(`${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`)
    setProblem(result.kind === 'failed' ? result : null)
    if (result.kind === 'failed') return
    const { data } = result
    setKept((before) => ({ items: [...(before?.items ?? []), ...itemsOf(data)], nextCursor: data.nextCursor }))
  }
  return {
    items: kept?.items ?? null,
    nextCursor: kept?.nextCursor ?? null,
    problem: problem ?? live.problem,
    confirmedAt: live.confirmedAt,
    still,
    loadMore,
    /** Back to the live first page. */
    restart: () => {
      setMore(false)
      setProblem(null)
      live.refresh()
    },
  }
}
