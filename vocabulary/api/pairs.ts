import { type Static, Type } from 'typebox'
import { Num, named, nullable, Text } from '../schema.ts'

export const PairsView = named('PairsView', "A uniform sample of both sides' answers, for a scatter plot.", {
  of: Type.Enum(['value', 'topScore'], {
    description: 'what the numbers are: the value (regression, of one number), or the top score (classification)',
  }),
  units: nullable(Text(), 'the unit of values, such as °C; null if the mapping names none'),
  pairs: Type.Array(
    Type.Object({
      id: Text("the observation's"),
      primary: Num("the primary's number"),
      candidate: Num("the candidate's number"),
    }),
    { description: 'one an observation' },
  ),
})
export type PairsView = Static<typeof PairsView>
