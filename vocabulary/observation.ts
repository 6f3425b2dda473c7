import { type Static, Type } from 'typebox'
import { legs } from './leg.ts'
import { BodyEncoding, Headers, Outcome } from './outcome.ts'
import { Count, named, Text, ValidationName } from './schema.ts'

export const uuidPattern = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'
const Uuid = Type.String({
  pattern: uuidPattern,
  description: 'a UUID (mirrors make v7): the same observation has the same id, so that it counts once',
})
/** The zone is required: a time without one would be read in the server's own. */
const Timestamp = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$',
  description: 'an RFC 3339 time with its zone, such as 2026-11-21T08:00:00.000Z',
})

export const RequestCopy = named('RequestCopy', 'a request as it was mirrored', {
  method: Type.String({ minLength: 1, maxLength: 20, description: 'an HTTP method, such as POST' }),
  path: Type.String({
    minLength: 1,
    maxLength: 8192,
    description: 'a path of 1 to 8,192 characters, with its query',
  }),
  headers: Type.Optional(Headers('an object of texts: those that the mirror keeps, by names in lower case')),
  body: Type.Optional(Type.String({ description: 'the text of the body, as `bodyEncoding` says' })),
  bodyEncoding: Type.Optional(BodyEncoding),
  bodyBytes: Type.Optional(
    Type.Integer({ minimum: 0, description: 'a whole number of bytes ≥ 0: length of the body as received' }),
  ),
})

export const Observation = named(
  'Observation',
  "one shadow request's record: the request, the primary's outcome, the candidate's outcome",
  {
    id: Uuid,
    validation: ValidationName,
    at: Timestamp,
    correlationId: Type.Optional(
      Type.String({ maxLength: 500, description: 'a text of at most 500 characters, by which labels find it' }),
    ),
    live: Type.Optional(
      Type.Enum([...legs], {
        description:
          "whose response the client got: the candidate's during and after a rollout; left out: the primary's. Labels " +
          'never swap',
      }),
    ),
    request: RequestCopy,
    primary: Outcome,
    candidate: Outcome,
  },
)
export type Observation = Static<typeof Observation>

/**
 * Limits of one delivery. Measured: fifty observations in one message are delivered twenty times faster than fifty
 * messages.
 */
export const bundleBytesMax = 256 * 1024
export const bundleDelayMs = 100

export const Rejection = named('Rejection', 'Why one item of a bundle was rejected.', {
  index: Count('its place in the bundle, from 0'),
  code: Text('stable; docs/ERRORS.md lists them'),
  message: Text('what is wrong, and what was expected'),
})
export type Rejection = Static<typeof Rejection>

export const AcceptReceipt = named('AcceptReceipt', 'What became of a bundle.', {
  accepted: Count('items that count from now on'),
  duplicates: Count('items already accepted before'),
  rejected: Type.Array(Rejection, { description: 'the others' }),
})
export type AcceptReceipt = Static<typeof AcceptReceipt>
