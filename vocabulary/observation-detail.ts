import { type Static, Type } from 'typebox'
import { OutputPair } from './answer-pair.ts'
import { legs } from './leg.ts'
import { RequestCopy } from './observation.ts'
import { ObservationView } from './observation-view.ts'
import { outputKinds } from './output-kind.ts'
import { named, nullable } from './schema.ts'
import { VersionsView } from './versions.ts'

export const KeptBody = named('KeptBody', {
  contentType: nullable(Type.String()),
  body: Type.String(),
  bodyEncoding: Type.Enum(['utf8', 'base64']),
})
export type KeptBody = Static<typeof KeptBody>

/** `notRedactable`: it is no form and no JSON, so that what `store.redact` names could not be taken out. */
export const Withheld = Type.Enum(['notRedactable', 'tooLarge'])
export type Withheld = Static<typeof Withheld>

/** What the validation keeps of requests and bodies, as its `store` says now. */
export const KeepingView = named('KeepingView', {
  bodies: Type.Enum(['none', 'worst', 'all']),
  /**
   * Why this observation has none, as far as can be told; `null` where it has. `overBudget`: it would have been kept, but
   * for `store.bytesMax` or another `store` at the time.
   */
  without: nullable(Type.Enum(['none', 'notExample', 'overBudget', 'expired'])),
  bodyBytesMax: Type.Integer(),
  redact: Type.Array(Type.String()),
  headers: Type.Array(Type.String()),
})
export type KeepingView = Static<typeof KeepingView>

/** `GET /v1/observations/{id}`: with bodies where they were kept. */
export const ObservationDetail = named('ObservationDetail', {
  ...ObservationView.properties,
  validation: Type.String(),
  kind: Type.Enum(outputKinds),
  /** Of the window that it counts in. */
  versions: VersionsView,
  /** Of the request's body as it came. */
  requestBytes: Type.Integer(),
  request: nullable(Type.Object({ ...RequestCopy.properties, path: Type.String() })),
  bodies: nullable(Type.Object({ primary: nullable(KeptBody), candidate: nullable(KeptBody) })),
  /** Why a body is not among those that were kept: by `store.redact`, or for its size. */
  withheld: Type.Partial(Type.Record(Type.Enum(['request', ...legs]), Withheld)),
  /** Both answers as they were compared, where their bodies were kept and they were compared. */
  pairs: Type.Array(OutputPair),
  keeping: KeepingView,
})
export type ObservationDetail = Static<typeof ObservationDetail>
