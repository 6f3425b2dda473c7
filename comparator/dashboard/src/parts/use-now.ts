import { useEffect, useState } from 'preact/hooks'
import { serverNow } from '../api/server-clock.ts'

/** Milliseconds since the epoch by the comparator's clock, ticking once a second. */
export function useNow(): number {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), 1000)
    return () => clearInterval(timer)
  }, [])
  return now
}
