import { type StaticDecode, Type } from 'typebox'
import { closed } from '../../runtime/config/fields.ts'
import { observationHeader, shadowHeader } from '../../vocabulary/headers.ts'

/**
 * Names, in lower case, that concern one connection: every leg has its own framing, and `expect` and `upgrade` are
 * between the client and us.
 */
export const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'content-length',
])

/** Names, in lower case, that header edits must not touch. */
export const uneditableHeaders: ReadonlySet<string> = new Set([...connectionHeaders, shadowHeader, observationHeader])

export const HeaderName = (options: { default?: string } = {}) =>
  Type.String({
    pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$",
    description: 'the name of an HTTP header, such as x-request-id',
    ...options,
  })

const edits = {
  set: Type.Record(
    HeaderName(),
    Type.String({ pattern: '^[\\t\\x20-\\x7e]*$', description: 'a header value: printable ASCII on one line' }),
    { default: {}, description: 'headers to set: { NAME: VALUE }' },
  ),
  remove: Type.Array(HeaderName(), { default: [], description: 'a list of header names' }),
}

/** Changes to the client's headers on one leg. */
export const HeaderEdits = Type.Object(edits, {
  ...closed,
  default: {},
  description: '{ set: { NAME: VALUE }, remove: [NAME] }',
})

/** Changes to the live leg's headers, including those that a reverse proxy adds about itself. */
export const LiveHeaders = Type.Object(
  {
    host: Type.Enum(['keep', 'rewrite'], { default: 'keep', description: 'keep, or rewrite to the upstream’s own' }),
    xForwarded: Type.Boolean({
      default: true,
      description: 'whether X-Forwarded-For is appended to, and X-Forwarded-Proto and -Host are set where absent',
    }),
    forwarded: Type.Boolean({ default: false, description: 'whether Forwarded (RFC 7239) is appended to' }),
    via: Type.Boolean({ default: false, description: 'whether Via is appended to' }),
    ...edits,
  },
  { ...closed, default: {}, description: '{ host: keep, xForwarded: true, set: { NAME: VALUE }, remove: [NAME] }' },
)

export type HeaderEditsConfig = StaticDecode<typeof HeaderEdits>
export type LiveHeadersConfig = StaticDecode<typeof LiveHeaders>
