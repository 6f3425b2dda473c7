import { type Static, Type } from 'typebox'

/** Why there is no answer. `shed` is our own limit; the rest happened to the request. */
export const failureKinds = ['timedOut', 'refused', 'reset', 'shed', 'aborted', 'tooLarge'] as const
export type FailureKind = (typeof failureKinds)[number]

export const BodyEncoding = Type.Enum(['utf8', 'base64'])
export const Headers = Type.Record(Type.String(), Type.String())

const milliseconds = Type.Number({ minimum: 0, description: 'milliseconds, ≥ 0' })
const timings = {
  totalMs: Type.Number({ minimum: 0, description: 'from the moment the request was sent to the last byte, ms' }),
  queuedMs: Type.Optional(Type.Number({ minimum: 0, description: 'time in our own queue before sending, ms' })),
  version: Type.Optional(Type.String({ maxLength: 200, description: "the model's version" })),
  digest: Type.Optional(Type.String({ maxLength: 200, description: "the model file's digest" })),
}

export const Answered = Type.Object({
  kind: Type.Literal('answered'),
  status: Type.Integer({ minimum: 100, maximum: 999 }),
  headers: Type.Optional(Headers),
  body: Type.Optional(Type.String()),
  bodyEncoding: Type.Optional(BodyEncoding),
  ttfbMs: Type.Optional(milliseconds),
  ...timings,
})
export type Answered = Static<typeof Answered>

export const NotAnswered = Type.Object({ kind: Type.Enum([...failureKinds]), ...timings })
export type NotAnswered = Static<typeof NotAnswered>

export const Outcome = Type.Union([Answered, NotAnswered])
export type Outcome = Answered | NotAnswered
