import { MethodNotAllowed, serveError } from '../errors.ts'
import { decodeSegment, type FixedKind, fixedPaths, modelPath, predictionsPath } from '../paths.ts'
import type { ProtocolName } from '../protocol/error-body.ts'
import { insteadOf } from './unserved-paths.ts'

type OfModel<Kind extends string> = Kind extends string
  ? { kind: Kind; model: string; version: string | undefined }
  : never

export type ModelInfoKind = 'modelMetadata' | 'modelReady' | 'modelStats' | 'modelConfiguration'
/** What is read with GET: metadata, readiness, statistics. */
export type InfoRoute = { kind: Exclude<FixedKind, 'repositoryIndex'> } | OfModel<ModelInfoKind>
type PredictRoute = OfModel<'infer' | 'predict'>
type Route = InfoRoute | PredictRoute | { kind: 'repositoryIndex' }

export function protocolOf(path: string): ProtocolName {
  if (path === '/v2' || path.startsWith('/v2/')) return 'openInference'
  return path === '/ping' || path === '/predictions' || path.startsWith('/predictions/') ? 'torchServe' : 'own'
}

/** `adapterPaths` maps the models' own paths to model names. Throws a 404 or a 405. */
export function matchRoute(method: string, path: string, adapterPaths: ReadonlyMap<string, string>): Route {
  // a model's own path may be configured with or without a trailing slash
  const route = routeOf(path, adapterPaths) ?? routeOf(path.replace(/\/$/, ''), adapterPaths)
  if (!route) throw serveError('ROUTE_NOT_FOUND', `there is nothing at ${path}${insteadOf(path)}`)
  const methods = methodsOf(route)
  if (!methods.includes(method)) throw new MethodNotAllowed(method, path, methods)
  return route
}

function methodsOf({ kind }: Route): string[] {
  if (kind === 'infer' || kind === 'repositoryIndex') return ['POST']
  return kind === 'predict' ? ['POST', 'PUT'] : ['GET', 'HEAD']
}

function routeOf(path: string, adapterPaths: ReadonlyMap<string, string>): Route | undefined {
  const fixed = fixedPaths.get(path)
  if (fixed) return { kind: fixed }
  const adapted = adapterPaths.get(path)
  if (adapted !== undefined) return { kind: 'predict', model: adapted, version: undefined }
  const predictions = predictionsPath.exec(path)
  if (predictions) {
    return { kind: 'predict', model: decodeSegment(predictions[1]!), version: decodeSegment(predictions[2]) }
  }
  const model = modelPath.exec(path)
  if (!model) return undefined
  const kinds = { ready: 'modelReady', infer: 'infer', stats: 'modelStats', config: 'modelConfiguration' } as const
  const kind = model[3] === undefined ? 'modelMetadata' : kinds[model[3] as keyof typeof kinds]
  return { kind, model: decodeSegment(model[1]!), version: decodeSegment(model[2]) } as Route
}
