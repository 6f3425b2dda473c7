import { prefixOf, type RouteConfig } from '../config/route.ts'

/**
 * Matches the longest prefix of whole path segments: `/p` matches `/p`, `/p/1` and `/p?x`, but not `/pq`. It does not
 * match `/p/../admin` either: a candidate's server might read that as `/admin`, which clients must not reach there.
 */
export class RouteTable<Route extends Pick<RouteConfig, 'path' | 'methods'>> {
  readonly #routes: { prefix: string; methods: ReadonlySet<string>; route: Route }[]

  constructor(routes: readonly Route[]) {
    this.#routes = routes
      .map((route) => ({ prefix: prefixOf(route.path), methods: new Set(route.methods), route }))
      .sort((a, b) => b.prefix.length - a.prefix.length)
  }

  /** `target`: a request's path with its query. */
  match(method: string, target: string): Route | undefined {
    for (const { prefix, methods, route } of this.#routes) {
      if (!target.startsWith(prefix) || !endsSegment(target, prefix.length) || !methods.has(method)) continue
      return dotSegment.test(target) ? undefined : route
    }
    return undefined
  }
}

/**
 * A dot segment before the query, in any spelling that some server accepts: encoded, after a backslash, with a
 * parameter.
 */
const dotSegment = /^[^?]*?(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\;?]|%2f|%5c|%3b|$)/i

function endsSegment(target: string, at: number): boolean {
  if (at === target.length) return true
  const next = target.charCodeAt(at)
  return next === 0x2f || next === 0x3f
}
