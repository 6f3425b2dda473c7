import {
  type ComparisonKind,
  comparisonKinds,
  type ObservationOrder,
  observationOrders,
} from '../../../../vocabulary/api/observation-query.ts'
import { type LatencyQuantile, latencyQuantiles } from '../metrics/latency-quantiles.ts'
import { parseRange, type Range, rangeEntries, wholeWindow } from './range.ts'

export interface ValidationRoute {
  page: 'validation'
  name: string
  range: Range
  /** The metric drawn large; `null`: the deciding one. */
  metric: string | null
  /** `DIMENSION=VALUE`; `null`: all traffic. */
  slice: string | null
  /** One of several outputs; `null`: the first. */
  output: string | null
  /** The latency quantile drawn over time; `null`: the one of the chosen metric or of the gate. */
  quantile: LatencyQuantile | null
  /** The dimension whose slices are listed; `null`: all. */
  by: string | null
  /** The id of the element to scroll to: a section's heading, a promotion; `null`: the top of the page. */
  at: string | null
}

/** Which observations, in which order. */
export interface ObservationList {
  order: ObservationOrder
  slice: string | null
  comparison: ComparisonKind | null
  range: Range
}

export interface ObservationsRoute extends ObservationList {
  page: 'observations'
  name: string
}

/** One observation, and the list in which it is viewed. */
export interface ObservationRoute extends ObservationList {
  page: 'observation'
  id: string
}

/** Which entries of the audit; `null`: all. */
export interface AuditRoute {
  page: 'audit'
  validation: string | null
  actor: string | null
}

export type Route =
  | { page: 'overview' }
  | { page: 'mirrors'; at: string | null }
  | ValidationRoute
  | ObservationsRoute
  | ObservationRoute
  | AuditRoute
  | { page: 'notFound' }

/** `#/validations/NAME?range=1h&metric=mae` → what to show. Missing or invalid parts take their defaults. */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2)
  const parts = path.split('/').filter((part) => part !== '')
  const [head, id, tail] = parts.map(decoded)
  if (head === undefined) return { page: 'overview' }
  const search = new URLSearchParams(query)
  if (parts.length === 1 && head === 'audit') {
    return { page: head, validation: search.get('validation') || null, actor: search.get('actor') || null }
  }
  if (parts.length === 1 && head === 'mirrors') return { page: head, at: search.get('at') }
  if (id === undefined || id === null) return notFound
  if (parts.length === 2 && head === 'observations') return { page: 'observation', id, ...parseList(search) }
  if (head !== 'validations') return notFound
  if (parts.length === 2) {
    const { range, slice } = parseList(search)
    return {
      page: 'validation',
      name: id,
      range,
      metric: search.get('metric'),
      slice,
      output: search.get('output'),
      quantile: latencyQuantiles.find((known) => known === search.get('quantile')) ?? null,
      by: search.get('by'),
      at: search.get('at'),
    }
  }
  if (parts.length !== 3 || tail !== 'observations') return notFound
  return { page: 'observations', name: id, ...parseList(search) }
}

function parseList(search: URLSearchParams): ObservationList {
  const asked = observationOrders.find((known) => known === search.get('order')) ?? 'worst'
  const comparison = comparisonKinds.find((known) => known === search.get('comparison')) ?? null
  // what was not compared has no difference to be sorted by
  const order = asked === 'worst' && comparison === 'skipped' ? 'newest' : asked
  return { order, slice: search.get('slice'), comparison, range: parseRange(search) }
}

/** Defaults are left out of the address. */
export function formatRoute(route: Exclude<Route, { page: 'notFound' }>): string {
  switch (route.page) {
    case 'overview':
      return '#/'
    case 'audit':
      return `#/audit${queryOf(wholeWindow, { validation: route.validation, actor: route.actor })}`
    case 'mirrors':
      return `#/mirrors${queryOf(wholeWindow, { at: route.at })}`
    case 'observation':
      return `#/observations/${encodeURIComponent(route.id)}${listQuery(route)}`
    case 'validation': {
      const { name, range, metric, slice, output, quantile, by, at } = route
      const said = { metric, slice, output, quantile, by, at }
      return `#/validations/${encodeURIComponent(name)}${queryOf(range, said)}`
    }
    case 'observations':
      return `#/validations/${encodeURIComponent(route.name)}/observations${listQuery(route)}`
  }
}

export function validationHref(name: string, more: Partial<Omit<ValidationRoute, 'page' | 'name'>> = {}): string {
  return formatRoute({
    page: 'validation',
    name,
    range: wholeWindow,
    metric: null,
    slice: null,
    output: null,
    quantile: null,
    by: null,
    at: null,
    ...more,
  })
}

const usualList: ObservationList = { order: 'worst', slice: null, comparison: null, range: wholeWindow }

export function observationsHref(name: string, more: Partial<ObservationList> = {}): string {
  return formatRoute({ ...usualList, ...more, page: 'observations', name })
}

export function observationHref(id: string, list: Partial<ObservationList> = {}): string {
  return formatRoute({ ...usualList, ...list, page: 'observation', id })
}

export function auditHref(which: Partial<Omit<AuditRoute, 'page'>> = {}): string {
  return formatRoute({ validation: null, actor: null, ...which, page: 'audit' })
}

/** The same page scrolled to `at`; `null` for pages without such elements. */
export function hrefAt(route: Route, at: string): string | null {
  return 'at' in route ? formatRoute({ ...route, at }) : null
}

const notFound: Route = { page: 'notFound' }

function listQuery({ order, slice, comparison, range }: ObservationList): string {
  return queryOf(range, { order: order === usualList.order ? null : order, slice, comparison })
}

function queryOf(range: Range, values: Record<string, string | null>): string {
  const search = new URLSearchParams(rangeEntries(range))
  for (const [name, value] of Object.entries(values)) if (value !== null) search.set(name, value)
  // a fragment may contain colons, and people read these times
  return search.size === 0 ? '' : `?${String(search).replaceAll('%3A', ':')}`
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}
