import { type Static, Type } from 'typebox'
import { AnswerView, Numbers } from './answer.ts'
import { legs } from './leg.ts'
import { failureKinds } from './outcome.ts'
import { named, nullable, Time } from './schema.ts'

/** One side of one observation, in brief. */
export const OutcomeView = named('OutcomeView', {
  kind: Type.Enum(['answered', ...failureKinds]),
  status: nullable(Type.Integer()),
  /** From sending the request to the first byte of the answer; absent where nobody measured it. */
  ttfbMs: Type.Optional(Type.Number()),
  totalMs: Type.Number(),
  queuedMs: nullable(Type.Number()),
  version: nullable(Type.String()),
  /** What the mapping found where it expected something else. */
  problem: Type.Optional(Type.String()),
  /** What the model answered, as the mapping read it; `null` where it could not. */
  answer: nullable(AnswerView),
})
export type OutcomeView = Static<typeof OutcomeView>

/** What was found of a further output. */
export const OutputView = named('OutputView', {
  comparison: Type.Enum(['compared', 'failed', 'skipped']),
  reason: nullable(Type.String()),
  disagreement: nullable(Type.Number()),
  primary: nullable(AnswerView),
  candidate: nullable(AnswerView),
  /** What the mapping found where it expected something else, and on which side. */
  problem: Type.Optional(Type.String()),
})
export type OutputView = Static<typeof OutputView>

export const ObservationView = named('ObservationView', {
  id: Type.String(),
  at: Time,
  correlationId: nullable(Type.String()),
  live: Type.Enum(legs),
  /** `failed`: the candidate gave no usable answer; `skipped`: the primary gave none, nothing was compared. */
  comparison: Type.Enum(['compared', 'failed', 'skipped']),
  /** Why it failed or was skipped. */
  reason: nullable(Type.String()),
  /** How far apart the two answers are; larger is worse; `null` unless compared. */
  disagreement: nullable(Type.Number()),
  primary: OutcomeView,
  candidate: OutcomeView,
  truth: nullable(Type.Union([Type.Object({ label: Type.String() }), Type.Object({ value: Numbers })])),
  bodiesKept: Type.Boolean(),
  /** Dimension → value: the slices that it is in. */
  slices: Type.Record(Type.String(), Type.String()),
  /** By name, where the validation has further outputs. */
  outputs: Type.Optional(Type.Record(Type.String(), OutputView)),
})
export type ObservationView = Static<typeof ObservationView>

/** `GET /v1/validations/{name}/observations?order&slice&comparison&from&to&limit&cursor`. */
export const ObservationPage = named('ObservationPage', {
  observations: Type.Array(ObservationView),
  nextCursor: nullable(Type.String()),
})
export type ObservationPage = Static<typeof ObservationPage>
