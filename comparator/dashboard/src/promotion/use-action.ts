import { useState } from 'preact/hooks'
import { useSession } from '../session/session-context.ts'

export interface Action {
  running: boolean
  /** Why the last try did not go through. */
  problem: string | null
  /** Resolves to whether the comparator did it. */
  run: (path: string, body: unknown) => Promise<boolean>
}

/** One signed act at a time, its refusal kept on screen, the page refreshed after it. */
export function useAction(refresh: () => void): Action {
  const { call } = useSession()
  const [running, setRunning] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const run = async (path: string, body: unknown) => {
    setRunning(true)
    setProblem(null)
    const result = await call(path, { method: 'POST', body })
    setRunning(false)
    if (result.kind === 'failed') setProblem(`${result.message} (${result.code})`)
    refresh()
    return result.kind === 'ok'
  }
  return { running, problem, run }
}
