import type { EpochMs } from '../../vocabulary/units.ts'

/** A span that is over, in OpenTelemetry's words; the attributes' names are its semantic conventions'. */
export interface FinishedSpan {
  name: string
  kind: 'server' | 'client'
  traceId: string
  spanId: string
  flags: number
  /** Undefined for the root of a trace; `isRemote` where it is another process's. */
  parent: { spanId: string; isRemote: boolean } | undefined
  /** With fractions of a millisecond. */
  startedAt: EpochMs
  endedAt: EpochMs
  attributes: Record<string, string | number>
  /** Whether it is marked as failed. */
  isError: boolean
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'])

/** Anybody can invent methods: names and attributes of spans must stay few. */
export function methodAttributes(method: string): Record<string, string> {
  if (knownMethods.has(method)) return { 'http.request.method': method }
  return { 'http.request.method': '_OTHER', 'http.request.method_original': method.slice(0, 50) }
}

export const spanName = (method: string, route?: string): string =>
  `${knownMethods.has(method) ? method : 'HTTP'}${route === undefined ? '' : ` ${route}`}`

/** Of what a Host header says. */
export function hostAttributes(host: string | undefined): Record<string, string | number | undefined> {
  const [, name, port] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(host ?? '') ?? []
  return { 'server.address': name || undefined, 'server.port': port === undefined ? undefined : Number(port) }
}

/** A path without its query, which may hold secrets. */
export const pathOf = (target: string): string => target.split('?', 1)[0]!

/** `undefined`s left out. */
export function present(attributes: Record<string, string | number | undefined>): Record<string, string | number> {
  const kept: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) kept[name] = value
  return kept
}
