import { useEffect, useRef, useState } from 'preact/hooks'
import type { Failure } from './call-api.ts'
import { useSession } from './session-context.ts'
import { usePolled } from './use-polled.ts'

interface Page<Item> {
  items: Item[]
  nextCursor: string | null
}

/**
 * A list paged by cursor. The first page stays live until more is loaded; then the list is frozen, so that it does not
 * move while someone reads it. `path` has no cursor; `itemsOf` extracts the list from an answer.
 */
export function usePages<Answer extends { nextCursor: string | null }, Item>(
  path: string,
  itemsOf: (answer: Answer) => Item[],
) {
  const { call } = useSession()
  const [kept, setKept] = useState<Page<Item> | null>(null)
  const [still, setStill] = useState(false)
  const loading = useRef(false)
  /** Incremented by each restart; answers to earlier requests belong to another list. */
  const generation = useRef(0)
  const [problem, setProblem] = useState<Failure | null>(null)
  const live = usePolled<Answer>(still && kept !== null ? null : path, () => path)

  useEffect(() => {
    if (live.data !== null && !still) setKept({ items: itemsOf(live.data), nextCursor: live.data.nextCursor })
  }, [live.data, still])

  const loadMore = async () => {
    const cursor = kept?.nextCursor
    if (!kept || !cursor || loading.current) return
    setStill(true)
    loading.current = true
    const asked = generation.current
    const result = await call<Answer>(`${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`)
    if (asked !== generation.current) return
    loading.current = false
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
    loadMore,
    /** Returns to the live first page. */
    restart: () => {
      generation.current++
      loading.current = false
      setStill(false)
      setProblem(null)
      live.refresh()
    },
  }
}
