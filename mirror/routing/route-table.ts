import type { RouteConfig } from '../config/route.ts'

/** Longest prefix first, on whole path segments: `/p` matches `/p`, `/p/1` and `/p?x`, not `/pq`. */
export class RouteTable<Route extends Pick<RouteConfig, 'path' | 'methods'>> {
  readonly #routes: { prefix: string; methods: ReadonlySet<string>; route: Route }[]

  constructor(routes: readonly Route[]) {
    this.#routes = routes
      .map((route) => ({ prefix: prefixOf(route.path), methods: new Set(route.methods), route }))
      .sort((a, b) => b.prefix.length - a.prefix.length)
  }

  /** `target` is a request's path with its query. */
  match(method: string, target: string): Route | undefined {
    for (const { prefix, methods, route } of this.#routes) {
      if (target.startsWith(prefix) && endsSegment(target, prefix.length) && methods.has(method)) return route
    }
    return undefined
  }
}

/** Of two routes with the same one the second would get nothing. */
export const prefixOf = (path: string): string => path.replace(/\/+$/, '')

function endsSegment(target: string, at: number): boolean {
  if (at === target.length) return true
  const next = target.charCodeAt(at)
  return next === 0x2f || next === 0x3f
}
