import { type Static, Type } from 'typebox'
import { legs } from '../leg.ts'
import { outputKinds } from '../mapping/output-kind.ts'
import { RequestCopy } from '../observation.ts'
import { Count, described, named, nullable, Text, Texts } from '../schema.ts'
import { OutputPair } from './answer-pair.ts'
import { ObservationView } from './observation-view.ts'
import { VersionsView } from './versions.ts'

export const KeptBody = named('KeptBody', 'A stored body.', {
  contentType: nullable(Text(), 'null if the response named none'),
  body: Text('decoded from any content coding, and encoded as `bodyEncoding` says'),
  bodyEncoding: Type.Enum(['utf8', 'base64'], { description: 'base64 if it is not text' }),
})
export type KeptBody = Static<typeof KeptBody>

export const Withheld = Type.Enum(['notRedactable', 'tooLarge'], {
  description: '`notRedactable`: it is neither a form nor JSON, so what `store.redact` names could not be removed',
})
export type Withheld = Static<typeof Withheld>

export const KeepingView = named('KeepingView', 'What the validation stores of requests and bodies.', {
  bodies: Type.Enum(['none', 'worst', 'all'], { description: '`store.bodies` as it says now' }),
  without: nullable(
    Type.Enum(['none', 'notExample', 'overBudget', 'expired']),
    'why this observation has none, as far as is known; null if it has. `overBudget`: it qualified, but ' +
      '`store.bytesMax`, or another `store` at the time, kept it out',
  ),
  bodyBytesMax: Count('a longer body is not kept, bytes'),
  redact: Texts('pointers to what is redacted before bodies are stored'),
  headers: Texts('the headers that are kept'),
})
export type KeepingView = Static<typeof KeepingView>

export const ObservationDetail = named('ObservationDetail', 'One observation, with its bodies if they were kept.', {
  ...ObservationView.properties,
  validation: Text('the name of its validation'),
  kind: Type.Enum(outputKinds, { description: 'of the main output' }),
  versions: described(VersionsView, 'the models of the window that it counts in'),
  requestBytes: Count("length of the request's body as received"),
  request: nullable(
    Type.Object({ ...RequestCopy.properties, path: Text('with its query') }),
    'the stored request; null if it was not kept',
  ),
  bodies: nullable(
    Type.Object({
      primary: nullable(KeptBody, "the primary's body; null if it has none, or `withheld` says why"),
      candidate: nullable(KeptBody, "the candidate's body; null if it has none, or `withheld` says why"),
    }),
    'the stored responses; null if they were not kept: `keeping.without` says why',
  ),
  withheld: Type.Partial(Type.Record(Type.Enum(['request', ...legs]), Withheld), {
    description: 'why a body was not kept',
  }),
  pairs: Type.Array(OutputPair, {
    description: 'both answers as they were compared, as far as they, or their bodies, were kept',
  }),
  keeping: KeepingView,
})
export type ObservationDetail = Static<typeof ObservationDetail>
