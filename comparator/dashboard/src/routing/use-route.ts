import { useEffect, useState } from 'preact/hooks'
import { parseRoute, type Route } from './hash-route.ts'

/** The page named by the address bar; follows changes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const follow = () => setHash(location.hash)
    addEventListener('hashchange', follow)
    // the address may have changed between the first render and this listener
    follow()
    return () => removeEventListener('hashchange', follow)
  }, [])
  return parseRoute(hash)
}
