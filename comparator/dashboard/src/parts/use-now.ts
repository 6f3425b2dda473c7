import { useEffect, useState } from 'preact/hooks'
import { serverNow } from '../api/server-clock.ts'

/** The comparator's time in ms since the epoch, updated every second. */
export function useNow(): number {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), 1000)
    return () => clearInterval(timer)
  }, [])
  return now
}
