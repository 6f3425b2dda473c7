import type { Static } from 'typebox'
import { Count, Num, named, nullable } from './schema.ts'

export const Bounded = named('Bounded', "An estimate in the metric's own unit, with the bounds that the gate uses.", {
  estimate: nullable(Num(), 'null if there is too little evidence for one'),
  lower: nullable(Num(), 'lower bound of the true value; null if there is none'),
  upper: nullable(Num(), 'upper bound of the true value; null if there is none'),
  n: Count('number of observations behind the estimate'),
})
export type Bounded = Static<typeof Bounded>

export type Edges = Pick<Bounded, 'lower' | 'upper'>
export const noEdges: Edges = { lower: null, upper: null }
