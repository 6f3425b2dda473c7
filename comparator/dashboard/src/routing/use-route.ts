import { useEffect, useState } from 'preact/hooks'
import { parseRoute, type Route } from './hash-route.ts'

/** The page that the address bar names, followed as it changes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const follow = () => setHash(location.hash)
    addEventListener('hashchange', follow)
    // it may have changed since the first drawing, before anyone listened
    follow()
    return () => removeEventListener('hashchange', follow)
  }, [])
  return parseRoute(hash)
}
