import { type Static, Type } from 'typebox'
import { legs } from './leg.ts'
import { BodyEncoding, Headers, Outcome } from './outcome.ts'
import { named } from './schema.ts'

export const uuidPattern = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'
const Uuid = Type.String({
  pattern: uuidPattern,
  description: 'a UUID (v7 where we make it)',
})
/** Strictly with a zone: a time without one would be read in the server's own. */
const Timestamp = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$',
  description: 'an RFC 3339 time with its zone, such as 2026-11-21T08:00:00.000Z',
})

export const RequestCopy = named('RequestCopy', {
  method: Type.String({ minLength: 1, maxLength: 20 }),
  path: Type.String({ minLength: 1, maxLength: 8192 }),
  headers: Type.Optional(Headers),
  body: Type.Optional(Type.String()),
  bodyEncoding: Type.Optional(BodyEncoding),
  bodyBytes: Type.Optional(Type.Integer({ minimum: 0 })),
})

/** One shadow request's record on the wire: the request, the primary's outcome, the candidate's outcome. */
export const Observation = Type.Object({
  id: Uuid,
  validation: Type.String({ minLength: 1, maxLength: 200 }),
  at: Timestamp,
  correlationId: Type.Optional(Type.String({ maxLength: 500 })),
  /** Whose response the client got: the candidate's during and after a rollout. Labels never swap. */
  live: Type.Optional(Type.Enum([...legs])),
  request: RequestCopy,
  primary: Outcome,
  candidate: Outcome,
})
export type Observation = Static<typeof Observation>

/** Limits of one delivery; measured: fifty observations in a message go twenty times faster than fifty messages. */
export const bundleBytesMax = 256 * 1024
export const bundleDelayMs = 100

export const Rejection = Type.Object({ index: Type.Integer(), code: Type.String(), message: Type.String() })
export type Rejection = Static<typeof Rejection>

export const AcceptReceipt = named('AcceptReceipt', {
  accepted: Type.Integer(),
  duplicates: Type.Integer(),
  rejected: Type.Array(Rejection),
})
export type AcceptReceipt = Static<typeof AcceptReceipt>
