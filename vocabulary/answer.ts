import { type Static, Type } from 'typebox'
import { named, nullable } from './schema.ts'

export const Numbers = Type.Union([Type.Number(), Type.Array(Type.Number())])

/** The ten greatest scores, or the first ten numbers, and of how many; of a classification of several rows how many. */
export const AnswerView = Type.Union([
  named('ClassAnswer', {
    label: nullable(Type.String()),
    scores: nullable(Type.Record(Type.String(), Type.Number())),
    rows: Type.Optional(Type.Integer()),
  }),
  named('NumbersAnswer', { value: Numbers, elements: Type.Optional(Type.Integer()) }),
])
export type AnswerView = Static<typeof AnswerView>
