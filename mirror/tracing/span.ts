import type { EpochMs } from '../../vocabulary/units.ts'

/** A finished span in OpenTelemetry's terms; attribute names follow its semantic conventions. */
export interface FinishedSpan {
  name: string
  kind: 'server' | 'client'
  traceId: string
  spanId: string
  flags: number
  /** Undefined for the root of a trace; `isRemote` if it belongs to another process. */
  parent: { spanId: string; isRemote: boolean } | undefined
  /** May have fractions of a millisecond. */
  startedAt: EpochMs
  endedAt: EpochMs
  attributes: Record<string, string | number>
  /** Whether the span is marked as failed. */
  isError: boolean
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'])

/** Clients can invent methods, but span names and attributes must have few values. */
export function methodAttributes(method: string): Record<string, string> {
  if (knownMethods.has(method)) return { 'http.request.method': method }
  return { 'http.request.method': '_OTHER', 'http.request.method_original': method.slice(0, 50) }
}

export const spanName = (method: string, route?: string): string =>
  `${knownMethods.has(method) ? method : 'HTTP'}${route === undefined ? '' : ` ${route}`}`

/** Attributes from a Host header. */
export function hostAttributes(host: string | undefined): Record<string, string | number | undefined> {
  const [, name, port] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(host ?? '') ?? []
  return { 'server.address': name || undefined, 'server.port': port === undefined ? undefined : Number(port) }
}

/** A path without its query, which may hold secrets. */
export const pathOf = (target: string): string => target.split('?', 1)[0]!

/** Leaves out `undefined` values. */
export function present(attributes: Record<string, string | number | undefined>): Record<string, string | number> {
  const kept: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) kept[name] = value
  return kept
}
