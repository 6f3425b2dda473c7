import { useEffect, useRef, useState } from 'preact/hooks'
import { useSession } from '../session/session-context.ts'
import type { Failure } from './call-api.ts'

const pollIntervalMs = 2000

export interface Polled<Data> {
  /** The last good answer: it stays while later turns fail. */
  data: Data | null
  /** Of the last turn. */
  problem: Failure | null
  /** When `data` was last confirmed, ms since the epoch. */
  confirmedAt: number | null
  refresh: () => void
}

/**
 * The path's answer, asked again every two seconds while the tab is visible. An unchanged answer keeps its identity, so
 * that nothing is drawn twice. `path` is called before each turn, for a range that moves; `key` says when it is another
 * question; `null` asks nothing.
 */
export function usePolled<Data>(key: string | null, path: () => string): Polled<Data> {
  const { call } = useSession()
  const [state, setState] = useState<Omit<Polled<Data>, 'refresh'>>({ data: null, problem: null, confirmedAt: null })
  const pathNow = useRef(path)
  pathNow.current = path
  const refresh = useRef(() => {})

  useEffect(() => {
    if (key === null) return
    const stopped = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let running = false
    let lastText: string | null = null

    const turn = async () => {
      clearTimeout(timer)
      if (running || document.hidden) return
      running = true
      const result = await call<Data>(pathNow.current(), { signal: stopped.signal })
      running = false
      if (stopped.signal.aborted) return
      if (result.kind === 'failed') {
        setState((before) => ({ ...before, problem: result }))
      } else {
        const changed = result.text !== lastText
        lastText = result.text
        setState((before) => ({
          data: changed ? result.data : before.data,
          problem: null,
          confirmedAt: Date.now(),
        }))
      }
      timer = setTimeout(turn, pollIntervalMs)
    }

    refresh.current = turn
    turn()
    document.addEventListener('visibilitychange', turn)
    return () => {
      stopped.abort()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', turn)
    }
  }, [key, call])

  return { ...state, refresh: () => refresh.current() }
}
