import { useState } from 'preact/hooks'
import { useSession } from '../session/session-context.ts'

export interface Action {
  running: boolean
  /** Why the last try did not go through. */
  problem: string | null
  /** What the last one did, to be said aloud. */
  done: string | null
  /** Forgets what the last one did. */
  dismiss: () => void
  /** Resolves to whether the comparator did it; `done` is the sentence to say then. */
  run: (path: string, body: unknown, done: string) => Promise<boolean>
}

const idle: Pick<Action, 'running' | 'problem' | 'done'> = { running: false, problem: null, done: null }

/** One signed act at a time, its refusal kept on screen, the page refreshed after it. */
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
      problem: isOk ? null : `${sentenceOf(result.message)} (${result.code})`,
      done: isOk ? done : null,
    })
    refresh()
    return isOk
  }
  return { ...state, run, dismiss }
}

function sentenceOf(message: string): string {
  return `${message[0]?.toUpperCase() ?? ''}${message.slice(1)}`
}
