import { Value } from 'typebox/value'
import type { ConfigProblem } from '../../runtime/config/problem.ts'
import { type Loose, objectsIn, repeated } from '../../runtime/config/semantics.ts'
import { asVariable } from '../http1/fields.ts'
import { certificateProblems, upstreamTlsProblems } from './certificate-problems.ts'
import { HeaderName, uneditableHeaders } from './headers.ts'
import { prefixOf } from './route.ts'
import { doubledPathProblems, ownAddressProblems, userProblems } from './url-problems.ts'

/**
 * Problems that the schema of `mirror:` cannot express: addresses, paths and validations that must differ, limits that
 * workers share.
 */
export function mirrorProblems(value: unknown, path: string): ConfigProblem[] {
  const { listen, admin, tls, primary, headers, routes, workers, comparator, tracing } = (value ?? {}) as Loose
  const routeItems = objectsIn(routes, `${path}.routes`)
  const candidates = routeItems.flatMap(({ item, path }) => objectsIn(item.candidates, `${path}.candidates`))
  const noiseFloors = routeItems.flatMap(({ item, path }) =>
    item.noiseFloor !== null && typeof item.noiseFloor === 'object'
      ? [{ item: item.noiseFloor as Loose, path: `${path}.noiseFloor` }]
      : [],
  )
  const legs = [...candidates, ...noiseFloors]
  const primaries = primaryUrls(primary, `${path}.primary`)
  const candidateUrls = candidates.map(({ item, path }) => ({ url: item.url, path: `${path}.url` }))
  const isOnePort = typeof listen === 'string' && listen === admin && !listen.endsWith(':0')
  return [
    ...(isOnePort ? [{ path: `${path}.admin`, value: admin, expected: 'an address other than listen' }] : []),
    ...ownAddressProblems([...primaries, ...candidateUrls], [listen, admin]),
    ...userProblems([
      ...primaries.map((one) => ({ ...one, remedy: `${path}.headers.set sends an authorization` })),
      ...candidateUrls.map((one) => ({
        ...one,
        remedy: 'headers.set sends an authorization with copies, liveHeaders.set with live requests',
      })),
      { url: urlIn(comparator), path: `${path}.comparator.url`, remedy: 'set token instead' },
      { url: urlIn(tracing), path: `${path}.tracing.url`, remedy: 'OTEL_EXPORTER_OTLP_HEADERS sends an authorization' },
    ]),
    ...repeated(
      routeItems,
      'path',
      'a path that no other route has; one route takes several methods and candidates',
      (routePath) => (typeof routePath === 'string' ? prefixOf(routePath) : routePath),
    ),
    ...routeItems.flatMap(({ item, path }) => doubledPathProblems(item, path, primaries)),
    // the ledger counts by validation
    ...repeated(legs, 'validation', 'a validation that stands on one route, once'),
    ...legs.flatMap(({ item: { concurrency }, path }) =>
      typeof concurrency === 'number' && typeof workers === 'number' && concurrency > 0 && concurrency < workers
        ? [{ path: `${path}.concurrency`, value: concurrency, expected: `at least ${workers}, one for each worker` }]
        : [],
    ),
    ...certificateProblems(tls, `${path}.tls`),
    ...primaryTlsProblems(primary, `${path}.primary`),
    ...candidates.flatMap(({ item, path }) => upstreamTlsProblems(item.tls, `${path}.tls`, [item.url])),
    ...headerProblems(headers, `${path}.headers`),
    ...legs.flatMap(({ item, path }) => headerProblems(item.headers, `${path}.headers`)),
    ...candidates.flatMap(({ item, path }) => headerProblems(item.liveHeaders, `${path}.liveHeaders`)),
  ]
}

function primaryUrls(primary: unknown, path: string): { url: unknown; path: string }[] {
  const { urls } = (primary ?? {}) as Loose
  return Array.isArray(urls) ? urls.map((url, i) => ({ url, path: `${path}.urls[${i}]` })) : [{ url: primary, path }]
}

const urlIn = (section: unknown): unknown => ((section ?? {}) as Loose).url

function primaryTlsProblems(primary: unknown, path: string): ConfigProblem[] {
  const { tls, urls } = (primary ?? {}) as Loose
  return upstreamTlsProblems(tls, `${path}.tls`, Array.isArray(urls) ? urls : [])
}

const headerName = HeaderName()

/** Problems of one leg's header edits. */
function headerProblems(edits: unknown, path: string): ConfigProblem[] {
  const { set, remove } = (edits ?? {}) as Loose
  const setNames = set !== null && typeof set === 'object' ? Object.keys(set) : []
  const removed = Array.isArray(remove) ? remove : []
  const named = [
    ...setNames.map((name) => ({ name, path: `${path}.set.${name}` })),
    ...removed.map((name, i) => ({ name: String(name), path: `${path}.remove[${i}]` })),
  ]
  const seen = new Set<string>()
  return [
    ...named
      .filter(({ name }) => uneditableHeaders.has(asVariable(name.toLowerCase())))
      .map(({ name, path }) => ({
        path,
        value: name,
        expected: 'a header that is neither framing nor our own marker',
      })),
    // the schema checks a record's values only under keys that match its pattern
    ...setNames
      .filter((name) => !Value.Check(headerName, name))
      .map((name) => ({
        path: `${path}.set.${name}`,
        value: name,
        expected: 'the name of an HTTP header, such as x-request-id',
      })),
    ...setNames
      .filter((name) => seen.size === seen.add(name.toLowerCase()).size)
      .map((name) => ({ path: `${path}.set.${name}`, value: name, expected: 'a header once, whatever its case' })),
  ]
}
