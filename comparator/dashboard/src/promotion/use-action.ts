import { useState } from 'preact/hooks'
import { useSession } from '../api/session-context.ts'

export interface Action {
  running: boolean
  /** Why the last attempt failed. */
  problem: string | null
  /** What the last action did, to be announced. */
  done: string | null
  /** Forgets the outcome of the last action. */
  dismiss: () => void
  /** Resolves to whether the comparator did it; `done` is the sentence announced then. */
  run: (path: string, body: unknown, done: string) => Promise<boolean>
}

const idle: Pick<Action, 'running' | 'problem' | 'done'> = { running: false, problem: null, done: null }

/** Performs one signed action at a time, keeps a refusal on screen, and refreshes the page afterwards. */
export function useAction(refresh: () => void): Action {
  const { call } = useSession()
  const [state, setState] = useState(idle)
  const dismiss = () => setState(idle)
  const run = async (path: string, body: unknown, done: string) => {
    setState({ ...idle, running: true })
    const result = await call(path, { method: 'POST', body })
    const isOk = result.kind === 'ok'
    setState({
      running: false,
      problem: isOk ? null : `${result.message} (${result.code})`,
      done: isOk ? done : null,
    })
    refresh()
    return isOk
  }
  return { ...state, run, dismiss }
}
