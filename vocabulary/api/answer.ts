import { type Static, Type } from 'typebox'
import { Count, named, namedUnion, nullable, Text } from '../schema.ts'

export const AnswerView = namedUnion('AnswerView', 'What a model answered, in brief.', [
  named('ClassAnswer', 'Of a classification.', {
    label: nullable(Text(), 'the predicted label; null for several rows'),
    scores: nullable(
      Type.Record(Type.String(), Type.Number()),
      'the ten greatest scores, by label; null if there are none',
    ),
    rows: Type.Optional(Count('number of rows, if the answer has several')),
  }),
  named('NumbersAnswer', 'Of any other kind of output.', {
    value: Type.Union([Type.Number(), Type.Array(Type.Number())], {
      description: 'a number, or the first ten of several',
    }),
    elements: Type.Optional(Count('number of values, if there are more than those')),
  }),
])
export type AnswerView = Static<typeof AnswerView>
