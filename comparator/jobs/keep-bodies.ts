import type { KeptBody } from '../../vocabulary/api.ts'
import type { Observation } from '../../vocabulary/observation.ts'
import type { Outcome } from '../../vocabulary/outcome.ts'
import type { Bytes, EpochMs } from '../../vocabulary/units.ts'
import { decodeBytes } from '../compare/decode-body.ts'
import type { ValidationConfig } from '../config.ts'
import type { BodyRow } from '../store/bodies.ts'
import { dayOf } from '../store/day-of-id.ts'
import type { KnownValidation } from './comparator.ts'
import { redactBody } from './redact.ts'

/** Larger bodies are compared but not kept. */
export const keptBodyBytesMax: Bytes = 1024 * 1024

type StoreConfig = ValidationConfig['store']

export interface BodySource {
  observation: Observation
  at: EpochMs
  validation: Pick<KnownValidation, 'config'>
  row: { window_id: number; severity: number }
}

/** The bodies of an observation as its validation's `store` keeps them: redacted, and without what is too large. */
export function bodyToKeep({ observation, at, validation, row }: BodySource): BodyRow {
  const { store } = validation.config
  const request = keptRequest(observation.request, store)
  const primary = keptOutcome(observation.primary, store)
  const candidate = keptOutcome(observation.candidate, store)
  const bytesOf = (kept: { body?: string | undefined } | null) => Buffer.byteLength(kept?.body ?? '')
  return {
    observation_id: observation.id,
    window_id: row.window_id,
    at: new Date(at).toISOString(),
    day: dayOf(at),
    severity: row.severity,
    request,
    primary_body: primary,
    candidate_body: candidate,
    bytes: bytesOf(request) + bytesOf(primary) + bytesOf(candidate),
  }
}

function keptRequest(request: Observation['request'], store: StoreConfig): Observation['request'] {
  const { method, path, bodyBytes } = request
  const kept = keptBody(request, store)
  return {
    method,
    path,
    headers: allowedHeaders(request.headers, store.headers),
    ...(bodyBytes !== undefined && { bodyBytes }),
    ...(kept && { body: kept.body, bodyEncoding: kept.bodyEncoding }),
  }
}

function keptOutcome(outcome: Outcome, store: StoreConfig): KeptBody | null {
  return outcome.kind === 'answered' ? keptBody(outcome, store) : null
}

type Message = Pick<Observation['request'], 'headers' | 'body' | 'bodyEncoding'>

/** The body without its content coding, redacted; `null` where it is too large, or can not be searched for secrets. */
function keptBody(message: Message, { redact }: StoreConfig): KeptBody | null {
  const { headers, body, bodyEncoding = 'utf8' } = message
  if (body === undefined || body.length > 2 * keptBodyBytesMax) return null
  const contentType = headerOf(headers, 'content-type') ?? null
  const bytes = bodyEncoding === 'base64' ? decodeBytes(message) : Buffer.from(body)
  if (bytes.length > keptBodyBytesMax) return null
  // base64 may hide JSON: it is searched like any other body
  const cleaned = redact.length === 0 ? undefined : redactBody(bytes.toString('utf8'), contentType ?? undefined, redact)
  if (cleaned === null) return null
  const isText = bodyEncoding === 'utf8' || Buffer.from(bytes.toString('utf8')).equals(bytes)
  if (isText) return { contentType, body: cleaned ?? bytes.toString('utf8'), bodyEncoding: 'utf8' }
  return { contentType, body: bytes.toString('base64'), bodyEncoding: 'base64' }
}

/** By allow-list, whatever the sender thought fit: credentials have no place in the database. */
function allowedHeaders(headers: Message['headers'], allowed: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => allowed.includes(name.toLowerCase())))
}

function headerOf(headers: Message['headers'], wanted: string): string | undefined {
  return Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === wanted)?.[1]
}
