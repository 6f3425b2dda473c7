import { type Static, Type } from 'typebox'
import { named, nullable } from './schema.ts'

/** An estimate with its bounds, as the gate draws them; `null` where there is too little evidence for one. */
export const Bounded = named('Bounded', {
  estimate: nullable(Type.Number()),
  lower: nullable(Type.Number()),
  upper: nullable(Type.Number()),
  n: Type.Integer(),
})
export type Bounded = Static<typeof Bounded>

export type Edges = Pick<Bounded, 'lower' | 'upper'>
export const noEdges: Edges = { lower: null, upper: null }
