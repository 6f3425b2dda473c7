export const ranges = ['window', '15m', '1h', '6h', '24h', '7d', '30d'] as const
export type Range = (typeof ranges)[number]

export type Route =
  | { page: 'overview' }
  | { page: 'validation'; name: string; range: Range; metric: string | null }
  | { page: 'audit' }
  | { page: 'notFound' }

/** `#/validations/NAME?range=1h&metric=mae` → what to show. */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2)
  const parts = path.split('/').filter((part) => part !== '')
  if (parts.length === 0) return { page: 'overview' }
  if (parts.length === 1 && parts[0] === 'audit') return { page: 'audit' }
  if (parts.length !== 2 || parts[0] !== 'validations') return { page: 'notFound' }
  const name = decoded(parts[1]!)
  if (name === null) return { page: 'notFound' }
  const search = new URLSearchParams(query)
  const range = ranges.find((known) => known === search.get('range')) ?? 'window'
  return { page: 'validation', name, range, metric: search.get('metric') }
}

export function formatRoute(route: Exclude<Route, { page: 'notFound' }>): string {
  if (route.page === 'overview') return '#/'
  if (route.page === 'audit') return '#/audit'
  const search = new URLSearchParams()
  if (route.range !== 'window') search.set('range', route.range)
  if (route.metric !== null) search.set('metric', route.metric)
  const query = search.size === 0 ? '' : `?${search}`
  return `#/validations/${encodeURIComponent(route.name)}${query}`
}

export function validationHref(name: string): string {
  return formatRoute({ page: 'validation', name, range: 'window', metric: null })
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}
