import { useState } from 'preact/hooks'
import { useSession } from '../session/session-context.ts'

const drafts = new Map<string, string>()

/** What someone is writing, kept while they look elsewhere, and when their session ends and they sign in again. */
export function useDraft(of: string): [string, (text: string) => void] {
  const { name } = useSession()
  const key = JSON.stringify([name, of])
  const [text, setText] = useState(() => drafts.get(key) ?? '')
  const change = (next: string) => {
    if (next === '') drafts.delete(key)
    else drafts.set(key, next)
    setText(next)
  }
  return [text, change]
}
