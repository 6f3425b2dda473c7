import { type Static, Type } from 'typebox'
import { OneOrRows } from '../label.ts'
import { legs } from '../leg.ts'
import { failureKinds } from '../outcome.ts'
import { Count, described, Flag, Num, named, nullable, Text, Time } from '../schema.ts'
import { AnswerView } from './answer.ts'
import { GivenLabels } from './given-labels.ts'
import { comparisonKinds } from './observation-query.ts'

const compared = {
  comparison: Type.Enum([...comparisonKinds], {
    description:
      '`failed`: the candidate gave no usable answer; `skipped`: the primary gave none, nothing was compared',
  }),
  reason: nullable(Text(), 'why it failed or was skipped; null if it was compared'),
  disagreement: nullable(Num(), 'how far apart the two answers are, larger is worse; null unless compared'),
}

export const OutcomeView = named('OutcomeView', 'One side of one observation, in brief.', {
  kind: Type.Enum(['answered', ...failureKinds], { description: '`answered`, or why there is no answer' }),
  status: nullable(Type.Integer(), 'status of the HTTP response; null if there was none'),
  ttfbMs: Type.Optional(Num('from sending the request to the first byte of the answer, ms; absent if not measured')),
  totalMs: Num('from sending the request to the last byte of the answer, or to giving it up, ms'),
  queuedMs: nullable(
    Num(),
    "time in the mirror's own queue before sending, ms; null for a request that was not queued",
  ),
  version: nullable(Text(), 'version of the model; null if it named none'),
  problem: Type.Optional(Text('what the mapping found where it expected something else')),
  answer: nullable(AnswerView, 'what the model answered, as the mapping read it; null if it could not'),
})
export type OutcomeView = Static<typeof OutcomeView>

export const OutputView = named('OutputView', "What a further output's answers were.", {
  ...compared,
  primary: nullable(AnswerView, "the primary's answer; null if the mapping could not read it"),
  candidate: nullable(AnswerView, "the candidate's answer; null if the mapping could not read it"),
  problem: Type.Optional(Text('what the mapping found where it expected something else, and on which side')),
})
export type OutputView = Static<typeof OutputView>

const elements = Type.Optional(Count('how many there are, if the list is cut to the first ten, as in pages'))

export const ObservationView = named('ObservationView', 'One exchange: how it compared, or why it was not compared.', {
  id: Text('a UUID'),
  at: Time('when the client sent its request'),
  correlationId: nullable(Text(), 'the id by which labels find it; null if the request carried none'),
  live: Type.Enum(legs, { description: 'whose response the client got' }),
  ...compared,
  given: Type.Optional(
    nullable(GivenLabels, 'if the mapping has `scoreMin`; null if that is not kept, as for several rows'),
  ),
  primary: described(OutcomeView, "the primary's outcome"),
  candidate: described(OutcomeView, "the candidate's outcome"),
  truth: nullable(
    Type.Union([
      Type.Object({
        label: OneOrRows(Text(), 'the true label; for several rows a list, null for those not known'),
        elements,
      }),
      Type.Object({
        value: OneOrRows(Num(), 'the true number; for several a list, null for those not known'),
        elements,
      }),
    ]),
    'the label delivered for it; null while there is none',
  ),
  bodiesKept: Flag('whether its bodies were kept: `GET /v1/observations/{id}` has them'),
  slices: Type.Record(Type.String(), Type.String(), { description: 'the slices that it is in: dimension → value' }),
  outputs: Type.Optional(
    Type.Record(Type.String(), OutputView, { description: 'further outputs of the validation, by name' }),
  ),
})
export type ObservationView = Static<typeof ObservationView>

export const ObservationPage = named('ObservationPage', 'Some observations.', {
  observations: Type.Array(ObservationView, { description: 'in the requested order' }),
  nextCursor: nullable(Text(), 'the `cursor` of the next page; null if there is none'),
})
export type ObservationPage = Static<typeof ObservationPage>
