import { useEffect, useRef, useState } from 'preact/hooks'
import type { Failure } from './call-api.ts'
import { serverNow } from './server-clock.ts'
import { useSession } from './session-context.ts'

const pollIntervalMs = 2000
/** Maximum pause between attempts while the comparator does not answer. */
const retryIntervalMaxMs = 15_000

export interface Polled<Data> {
  /** The last good answer. It is kept while later polls fail, and until a different question is answered. */
  data: Data | null
  /** The failure of the last poll, for as long as its question is asked. */
  problem: Failure | null
  /** When `data` was last confirmed, in ms since the epoch. */
  confirmedAt: number | null
  /** Whether `data` still answers the previous question. */
  isBehind: boolean
  refresh: () => void
}

interface State<Data> {
  data: Data | null
  problem: Failure | null
  confirmedAt: number | null
  /** The questions that `data` and `problem` answer. */
  answers: string | null
  refuses: string | null
}

const nothingYet: State<never> = { data: null, problem: null, confirmedAt: null, answers: null, refuses: null }

/**
 * Polls a path every two seconds, or `everyMs`, while the tab is visible. An unchanged answer keeps its identity, so
 * that nothing is redrawn. `path` is called before each poll, for ranges that move with time; `key` identifies the
 * question, and `null` asks nothing.
 */
export function usePolled<Data>(key: string | null, path: () => string, everyMs = pollIntervalMs): Polled<Data> {
  const { call } = useSession()
  const [state, setState] = useState<State<Data>>(nothingYet)
  const now = useRef({ path, everyMs })
  now.current = { path, everyMs }
  const refresh = useRef(() => {})

  useEffect(() => {
    if (key === null) return
    const stopped = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let running = false
    /** Set when a refresh is requested during a poll, whose answer may predate the reader's action. */
    let again = false
    let lastText: string | null = null
    let failures = 0

    const turn = async () => {
      clearTimeout(timer)
      again = running
      if (running || document.hidden) return
      running = true
      const result = await call<Data>(now.current.path(), { signal: stopped.signal })
      running = false
      if (stopped.signal.aborted) return
      if (result.kind === 'failed') {
        failures++
        setState((before) => ({ ...before, problem: result, refuses: key }))
      } else {
        failures = 0
        const changed = result.text !== lastText
        lastText = result.text
        setState((before) => ({
          data: changed ? result.data : before.data,
          problem: null,
          confirmedAt: serverNow(),
          answers: key,
          refuses: null,
        }))
      }
      if (again) return turn()
      timer = setTimeout(
        turn,
        failures === 0 ? now.current.everyMs : Math.min(retryIntervalMaxMs, pollIntervalMs * 2 ** (failures - 1)),
      )
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

  const { data, problem, confirmedAt, answers, refuses } = state
  return {
    data,
    problem: key === null || refuses === key ? problem : null,
    confirmedAt,
    isBehind: key !== null && data !== null && answers !== key,
    refresh: () => refresh.current(),
  }
}
