import { type Static, Type } from 'typebox'
import { AnswerView } from './answer.ts'
import { GivenLabels } from './given-labels.ts'
import { OneOrRows } from './label.ts'
import { legs } from './leg.ts'
import { comparisonKinds } from './observation-query.ts'
import { failureKinds } from './outcome.ts'
import { Count, described, Flag, Num, named, nullable, Text, Time } from './schema.ts'

const compared = {
  comparison: Type.Enum([...comparisonKinds], {
    description:
      '`failed`: the candidate gave no usable answer; `skipped`: the primary gave none, nothing was compared',
  }),
  reason: nullable(Text(), 'why it failed or was skipped; null where it was compared'),
  disagreement: nullable(Num(), 'how far apart the two answers are, larger is worse; null unless compared'),
}

export const OutcomeView = named('OutcomeView', 'One side of one observation, in brief.', {
  kind: Type.Enum(['answered', ...failureKinds], { description: '`answered`, or why there is no answer' }),
  status: nullable(Type.Integer(), 'of the HTTP response; null where there was none'),
  ttfbMs: Type.Optional(
    Num('from sending the request to the first byte of the answer, ms; absent where nobody measured it'),
  ),
  totalMs: Num('from sending the request to the last byte of the answer, or to giving it up, ms'),
  queuedMs: nullable(Num(), "time in the mirror's own queue before sending, ms; null of a request that had none"),
  version: nullable(Text(), 'of the model; null where it named none'),
  problem: Type.Optional(Text('what the mapping found where it expected something else')),
  answer: nullable(AnswerView, 'what the model answered, as the mapping read it; null where it could not'),
})
export type OutcomeView = Static<typeof OutcomeView>

export const OutputView = named('OutputView', 'What was found of a further output.', {
  ...compared,
  primary: nullable(AnswerView, "the primary's; null where the mapping could not read it"),
  candidate: nullable(AnswerView, "the candidate's; null where the mapping could not read it"),
  problem: Type.Optional(Text('what the mapping found where it expected something else, and on which side')),
})
export type OutputView = Static<typeof OutputView>

const elements = Type.Optional(Count('how many there are, where the list is cut to the first ten, as in pages'))

export const ObservationView = named('ObservationView', 'One exchange that was compared, or why not.', {
  id: Text('a UUID'),
  at: Time('when the client sent its request'),
  correlationId: nullable(Text(), 'by which labels find it; null where the request carried none'),
  live: Type.Enum(legs, { description: 'whose response the client got' }),
  ...compared,
  given: Type.Optional(
    nullable(GivenLabels, 'where the mapping has `scoreMin`; null where that is not kept, as of several rows'),
  ),
  primary: described(OutcomeView, 'what the primary did'),
  candidate: described(OutcomeView, 'what the candidate did'),
  truth: nullable(
    Type.Union([
      Type.Object({
        label: OneOrRows(Text(), 'the true label; of several rows a list, null where it is not known'),
        elements,
      }),
      Type.Object({
        value: OneOrRows(Num(), 'the true number; of several a list, null where it is not known'),
        elements,
      }),
    ]),
    'the label that was delivered for it; null while there is none',
  ),
  bodiesKept: Flag('whether its bodies were kept: `GET /v1/observations/{id}` has them'),
  slices: Type.Record(Type.String(), Type.String(), { description: 'the slices that it is in: dimension → value' }),
  outputs: Type.Optional(
    Type.Record(Type.String(), OutputView, { description: 'further outputs of the validation, by name' }),
  ),
})
export type ObservationView = Static<typeof ObservationView>

export const ObservationPage = named('ObservationPage', 'Some observations.', {
  observations: Type.Array(ObservationView, { description: 'in the order that was asked for' }),
  nextCursor: nullable(Text(), 'the `cursor` of the next page; null where there is none'),
})
export type ObservationPage = Static<typeof ObservationPage>
