import { type Static, Type } from 'typebox'
import { named, namedUnion } from './schema.ts'

/** Characters of a model's version, and of its file's digest. */
export const versionLengthMax = 200

/** Why there is no answer. `shed`: a limit of ours; the others happened to the request. */
export const failureKinds = ['timedOut', 'refused', 'reset', 'shed', 'aborted', 'tooLarge'] as const
export type FailureKind = (typeof failureKinds)[number]

export const BodyEncoding = Type.Enum(['utf8', 'base64'], { description: 'encoding of the body; left out: utf8' })
export const Headers = (description: string) => Type.Record(Type.String(), Type.String(), { description })

const Elapsed = (what: string) => Type.Number({ minimum: 0, description: `milliseconds ≥ 0: ${what}` })

const timings = {
  totalMs: Elapsed('from the moment the request was sent to the last byte, or to giving it up'),
  queuedMs: Type.Optional(Elapsed("in the mirror's own queue before it was sent")),
  version: Type.Optional(
    Type.String({
      maxLength: versionLengthMax,
      description: `the model's version, at most ${versionLengthMax} characters`,
    }),
  ),
  digest: Type.Optional(
    Type.String({
      maxLength: versionLengthMax,
      description: `the model file's digest, at most ${versionLengthMax} characters`,
    }),
  ),
}

export const Answered = named('Answered', 'a response that came', {
  kind: Type.Literal('answered'),
  status: Type.Integer({ minimum: 100, maximum: 999, description: 'an HTTP status, 100 to 999' }),
  headers: Type.Optional(Headers('an object of texts: those that the mirror keeps, by names in lower case')),
  body: Type.Optional(Type.String({ description: 'the text of the body, as `bodyEncoding` says' })),
  bodyEncoding: Type.Optional(BodyEncoding),
  ttfbMs: Type.Optional(Elapsed('from the moment the request was sent to the first byte of the answer')),
  ...timings,
})
export type Answered = Static<typeof Answered>

const NotAnswered = named('NotAnswered', 'why no response came', {
  kind: Type.Enum([...failureKinds], {
    description: '`shed`: a limit of the mirror; the rest happened to the request',
  }),
  ...timings,
})
type NotAnswered = Static<typeof NotAnswered>

export const Outcome = namedUnion('Outcome', 'an outcome: what became of a request at one of the two sides', [
  Answered,
  NotAnswered,
])
export type Outcome = Answered | NotAnswered
