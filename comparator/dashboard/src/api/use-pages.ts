import { useMemo, useRef, useState } from 'preact/hooks'
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
  /** What was loaded when more was asked for, and since; `null` while the first page is live. */
  const [still, setStill] = useState<Page<Item> | null>(null)
  const loading = useRef(false)
  /** Incremented by each restart; answers to earlier requests belong to another list. */
  const generation = useRef(0)
  const [problem, setProblem] = useState<Failure | null>(null)
  const live = usePolled<Answer>(still === null ? path : null, () => path)
  const first = useMemo(
    () => live.data && { items: itemsOf(live.data), nextCursor: live.data.nextCursor },
    [live.data, itemsOf],
  )
  const page = still ?? first

  const loadMore = async () => {
    if (!page?.nextCursor || loading.current) return
    setStill(page)
    loading.current = true
    const asked = generation.current
    const more = new URLSearchParams({ cursor: page.nextCursor })
    const result = await call<Answer>(`${path}${path.includes('?') ? '&' : '?'}${more}`)
    if (asked !== generation.current) return
    loading.current = false
    setProblem(result.kind === 'failed' ? result : null)
    if (result.kind === 'failed') return
    setStill({ items: [...page.items, ...itemsOf(result.data)], nextCursor: result.data.nextCursor })
  }
  return {
    items: page?.items ?? null,
    nextCursor: page?.nextCursor ?? null,
    problem: problem ?? live.problem,
    confirmedAt: live.confirmedAt,
    loadMore,
    /** Returns to the live first page. */
    restart: () => {
      generation.current++
      loading.current = false
      setStill(null)
      setProblem(null)
      live.refresh()
    },
  }
}
