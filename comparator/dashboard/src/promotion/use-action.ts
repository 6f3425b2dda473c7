import { useState } from 'preact/hooks'
import { useSession } from '../session/session-context.ts'

export interface Action {
  running: boolean
  /** Why the last try did not go through. */
  problem: string | null
  /** What the last one did, to be said aloud. */
  done: string | null
  /** Resolves to whether the comparator did it; `done` is the sentence to say then. */
  run: (path: string, body: unknown, done: string) => Promise<boolean>
}

/** One signed act at a time, its refusal kept on screen, the page refreshed after it. */
export function useAction(refresh: () => void): Action {
  const { call } = useSession()
  const [state, setState] = useState<Omit<Action, 'run'>>({ running: false, problem: null, done: null })
  const run = async (path: string, body: unknown, done: string) => {
    setState({ running: true, problem: null, done: null })
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
  return { ...state, run }
}

function sentenceOf(message: string): string {
  return `${message[0]?.toUpperCase() ?? ''}${message.slice(1)}`
}
