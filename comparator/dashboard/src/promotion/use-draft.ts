import { useState } from 'preact/hooks'
import { useSession } from '../api/session-context.ts'

/**
 * A text in progress, kept in this tab while the reader navigates, reloads, or signs in again after the session has
 * ended (which with an issuer leaves the page).
 */
export function useDraft(of: string): [string, (text: string) => void] {
  const { name } = useSession()
  const key = `understudy-draft ${JSON.stringify([name, of])}`
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '')
  const change = (next: string) => {
    if (next === '') sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, next)
    setText(next)
  }
  return [text, change]
}
