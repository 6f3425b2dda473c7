import { useEffect, useState } from 'preact/hooks'

const saidForMs = 4000

/** What has just been done, for a `role="status"`: shown for a few seconds, and announced. */
export function useSaid(): [said: string, say: (sentence: string) => void] {
  const [said, say] = useState('')
  useEffect(() => {
    if (said === '') return
    const timer = setTimeout(() => say(''), saidForMs)
    return () => clearTimeout(timer)
  }, [said])
  return [said, say]
}
