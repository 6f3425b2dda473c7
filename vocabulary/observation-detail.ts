import { type Static, Type } from 'typebox'
import { OutputPair } from './answer-pair.ts'
import { legs } from './leg.ts'
import { RequestCopy } from './observation.ts'
import { ObservationView } from './observation-view.ts'
import { outputKinds } from './output-kind.ts'
import { Count, described, named, nullable, Text, Texts } from './schema.ts'
import { VersionsView } from './versions.ts'

export const KeptBody = named('KeptBody', 'A body as it was kept.', {
  contentType: nullable(Text(), 'null where the response named none'),
  body: Text('without any content coding, as `bodyEncoding` says'),
  bodyEncoding: Type.Enum(['utf8', 'base64'], { description: 'base64 of what is no text' }),
})
export type KeptBody = Static<typeof KeptBody>

export const Withheld = Type.Enum(['notRedactable', 'tooLarge'], {
  description: '`notRedactable`: it is no form and no JSON, so that what `store.redact` names could not be taken out',
})
export type Withheld = Static<typeof Withheld>

export const KeepingView = named('KeepingView', 'What the validation keeps of requests and bodies.', {
  bodies: Type.Enum(['none', 'worst', 'all'], { description: '`store.bodies` as it says now' }),
  without: nullable(
    Type.Enum(['none', 'notExample', 'overBudget', 'expired']),
    'why this observation has none, as far as can be told; null where it has. `overBudget`: it would have been kept, ' +
      'but for `store.bytesMax` or another `store` at the time',
  ),
  bodyBytesMax: Count('a longer body is not kept, bytes'),
  redact: Texts('pointers to what is taken out of bodies before they are kept'),
  headers: Texts('the headers that are kept'),
})
export type KeepingView = Static<typeof KeepingView>

export const ObservationDetail = named('ObservationDetail', 'One observation, with bodies where they were kept.', {
  ...ObservationView.properties,
  validation: Text('the name of its validation'),
  kind: Type.Enum(outputKinds, { description: 'of the main output' }),
  versions: described(VersionsView, 'those of the window that it counts in'),
  requestBytes: Count("length of the request's body as it came"),
  request: nullable(
    Type.Object({ ...RequestCopy.properties, path: Text('with its query') }),
    'the request as it was kept; null where it was not',
  ),
  bodies: nullable(
    Type.Object({
      primary: nullable(KeptBody, "the primary's; null where it has none, or `withheld` says why"),
      candidate: nullable(KeptBody, "the candidate's; null where it has none, or `withheld` says why"),
    }),
    'the responses as they were kept; null where they were not: `keeping.without` says why',
  ),
  withheld: Type.Partial(Type.Record(Type.Enum(['request', ...legs]), Withheld), {
    description: 'why a body is not among those that were kept',
  }),
  pairs: Type.Array(OutputPair, {
    description: 'both answers as they were compared, as far as they, or their bodies, were kept',
  }),
  keeping: KeepingView,
})
export type ObservationDetail = Static<typeof ObservationDetail>
