import { isUtf8 } from 'node:buffer'
import type { KeptBody, Withheld } from '../../../vocabulary/api/observation-detail.ts'
import type { Observation } from '../../../vocabulary/observation.ts'
import type { Outcome } from '../../../vocabulary/outcome.ts'
import type { Bytes, EpochMs } from '../../../vocabulary/units.ts'
import { decodeBytes } from '../../compare/read/decode-body.ts'
import { headerIn } from '../../compare/read/header-in.ts'
import type { ValidationConfig } from '../../config.ts'
import type { BodyRow } from '../../store/observations/bodies.ts'
import { dayOf } from '../../store/observations/day-of-id.ts'
import type { KnownValidation } from '../comparator.ts'
import { redactBody } from './redact.ts'
import { redactPath } from './redact-fields.ts'

/** Larger bodies are compared but not kept. */
export const keptBodyBytesMax: Bytes = 1024 * 1024

type StoreConfig = ValidationConfig['store']

export interface BodySource {
  observation: Observation
  at: EpochMs
  validation: Pick<KnownValidation, 'config'>
  row: { window_id: number; severity: number }
}

/** Stored in place of a body that is not kept. */
export interface WithheldBody {
  contentType: string | null
  withheld: Withheld
}

export type KeptRequest = Observation['request'] & { withheld?: Withheld }

/** An observation's bodies as its validation's `store` keeps them: redacted, and without those that are too large. */
export function bodyToKeep({ observation, at, validation, row }: BodySource): BodyRow {
  const { store } = validation.config
  const request = keptRequest(observation.request, store)
  const primary = keptOutcome(observation.primary, store)
  const candidate = keptOutcome(observation.candidate, store)
  const bytesOf = (kept: { body?: string | undefined } | WithheldBody | null) =>
    kept !== null && 'body' in kept ? Buffer.byteLength(kept.body ?? '') : 0
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

function keptRequest(request: Observation['request'], store: StoreConfig): KeptRequest {
  const { method, path, bodyBytes } = request
  const { contentType, ...kept } = keptBody(request, store) ?? { contentType: null }
  return {
    method,
    path: redactPath(path, store.redact),
    headers: allowedHeaders(request.headers, store.headers),
    ...(bodyBytes !== undefined && { bodyBytes }),
    ...kept,
  }
}

function keptOutcome(outcome: Outcome, store: StoreConfig): KeptBody | WithheldBody | null {
  return outcome.kind === 'answered' ? keptBody(outcome, store) : null
}

type Message = Pick<Observation['request'], 'headers' | 'body' | 'bodyEncoding'>

/** The decoded and redacted body; `null` if there is none. */
function keptBody(message: Message, { redact }: StoreConfig): KeptBody | WithheldBody | null {
  const { headers, body } = message
  if (body === undefined) return null
  const contentType = headerIn(headers, 'content-type') ?? null
  const bytes = body.length > 2 * keptBodyBytesMax ? null : decodeBytes(message)
  if (bytes === null || bytes.length > keptBodyBytesMax) return { contentType, withheld: 'tooLarge' }
  const cleaned = redactBody(bytes, contentType ?? undefined, redact)
  if (cleaned === null) return { contentType, withheld: 'notRedactable' }
  // PostgreSQL stores no NUL in a text
  return isUtf8(cleaned) && !cleaned.includes(0)
    ? { contentType, body: cleaned.toString(), bodyEncoding: 'utf8' }
    : { contentType, body: cleaned.toString('base64'), bodyEncoding: 'base64' }
}

/** An allow-list, whatever the sender delivers, keeps credentials out of the database. */
function allowedHeaders(headers: Message['headers'], allowed: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => allowed.includes(name.toLowerCase())))
}
