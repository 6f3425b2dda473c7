import { useState } from 'preact/hooks'
import { useSession } from '../session/session-context.ts'

/**
 * What someone is writing, kept in this tab while they look elsewhere, load the page again, or sign in again once their
 * session ends, which at an issuer leaves the page.
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
