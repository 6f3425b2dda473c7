/** The paths that name no model, and what each asks for. */
const fixed = {
  '/v2': 'serverMetadata',
  '/v2/health/live': 'live',
  '/v2/health/ready': 'ready',
  '/v2/models': 'models',
  '/v2/models/stats': 'allStats',
  '/v2/repository/index': 'repositoryIndex',
  '/ping': 'ping',
  '/metrics': 'metrics',
  '/plan': 'plan',
  '/healthz': 'healthz',
  '/readyz': 'readyz',
} as const
export type FixedKind = (typeof fixed)[keyof typeof fixed]
export const fixedPaths: ReadonlyMap<string, FixedKind> = new Map(Object.entries(fixed))

/** Whether the server itself answers this path, so that a model with the same path would never be reached. */
export const isServerPath = (path: string) => fixedPaths.has(path)

export const modelPath = /^\/v2\/models\/([^/]+)(?:\/versions\/([^/]+))?(?:\/(ready|infer|stats|config))?$/
export const predictionsPath = /^\/predictions\/([^/]+)(?:\/([^/]+))?$/
/** The model to which a path of the protocols leads; `undefined` for any other path. */
export const modelNamedBy = (path: string) => decodeSegment((predictionsPath.exec(path) ?? modelPath.exec(path))?.[1])

/** A path as clients send it (RFC 3986, 2.5): letters beyond ASCII are in percent-encoded UTF-8. */
export const encodePath = (path: string) => path.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent)

export function decodeSegment(segment: string): string
export function decodeSegment(segment: string | undefined): string | undefined
export function decodeSegment(segment: string | undefined): string | undefined {
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment)
  } catch {
    return segment
  }
}
