import { type Static, Type } from 'typebox'
import { Count, named, namedUnion, nullable, Text } from './schema.ts'

export const AnswerView = namedUnion('AnswerView', 'What a model answered, in brief.', [
  named('ClassAnswer', 'Of a classification.', {
    label: nullable(Text(), 'the label that was predicted; null of several rows'),
    scores: nullable(
      Type.Record(Type.String(), Type.Number()),
      'the ten greatest scores, by label; null where there are none',
    ),
    rows: Type.Optional(Count('how many rows the answer has, where it has several')),
  }),
  named('NumbersAnswer', 'Of any other kind of output.', {
    value: Type.Union([Type.Number(), Type.Array(Type.Number())], {
      description: 'a number, or the first ten of several',
    }),
    elements: Type.Optional(Count('how many numbers there are, where more than those')),
  }),
])
export type AnswerView = Static<typeof AnswerView>
