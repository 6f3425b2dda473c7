import type { ConfigProblem } from '../../runtime/config/problem.ts'
import { type Loose, objectsIn } from '../../runtime/config/semantics.ts'
import { prefixOf } from './route.ts'

/** Finds URLs that point back to this mirror: a request would loop until its head grew too large. */
export function ownAddressProblems(
  urls: readonly { url: unknown; path: string }[],
  listens: readonly unknown[],
): ConfigProblem[] {
  return urls
    .filter(({ url }) => listens.some((listen) => isSame(url, listen)))
    .map(({ url, path }) => ({ path, value: url, expected: "an address that is not the mirror's own" }))
}

function isSame(url: unknown, listen: unknown): boolean {
  if (typeof url !== 'string' || typeof listen !== 'string' || !/^https?:/.test(url) || !URL.canParse(url)) return false
  const { protocol, hostname, port } = new URL(url)
  const colon = listen.lastIndexOf(':')
  const own = Number(listen.slice(colon + 1))
  return (
    own !== 0 &&
    own === Number(port || (protocol === 'https:' ? 443 : 80)) &&
    leadsTo(hostname, listen.slice(0, colon).toLowerCase())
  )
}

/** Judged by the text alone: the only name it resolves is localhost. */
function leadsTo(host: string, listenHost: string): boolean {
  const isLoopback = host === 'localhost' || host.startsWith('127.')
  if (listenHost === '' || listenHost === '0.0.0.0') return isLoopback
  if (listenHost === '[::]') return isLoopback || host === '[::1]'
  return host === listenHost || (host === 'localhost' && listenHost === '127.0.0.1')
}

/**
 * Finds URLs with user information, which requests would silently omit. `remedy` says how to send the credential
 * instead.
 */
export function userProblems(urls: readonly { url: unknown; path: string; remedy: string }[]): ConfigProblem[] {
  return urls
    .filter(({ url }) => hasUser(url))
    .map(({ url, path, remedy }) => ({ path, value: url, expected: `a URL without a user; ${remedy}` }))
}

function hasUser(url: unknown): boolean {
  const parsed = typeof url === 'string' ? URL.parse(url) : null
  return parsed !== null && (parsed.username !== '' || parsed.password !== '')
}

/**
 * URLs of the primary and of the route's candidates that name the route's path, which every request has already. A
 * single segment such as /api may be meant: a gateway's prefix before the service's own.
 */
export function doubledPathProblems(
  route: Loose,
  path: string,
  primaries: readonly { url: unknown; path: string }[],
): ConfigProblem[] {
  const prefix = typeof route.path === 'string' ? prefixOf(route.path) : ''
  const isDoubled = (url: unknown) => {
    if (prefix.lastIndexOf('/') < 1) return false
    const parsed = typeof url === 'string' ? URL.parse(url) : null
    return parsed !== null && parsed.protocol !== 'unix:' && prefixOf(parsed.pathname) === prefix
  }
  const candidates = objectsIn(route.candidates, `${path}.candidates`)
  return [...primaries, ...candidates.map(({ item, path }) => ({ url: item.url, path: `${path}.url` }))]
    .filter(({ url }) => isDoubled(url))
    .map(({ url, path }) => ({
      path,
      value: url,
      expected: `a URL without ${prefix}: requests keep their path, which would then be ${prefix}${prefix}`,
    }))
}
