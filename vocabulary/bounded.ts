import type { Static } from 'typebox'
import { Count, Num, named, nullable } from './schema.ts'

export const Bounded = named(
  'Bounded',
  "An estimate in the metric's own unit, with its bounds as the gate draws them.",
  {
    estimate: nullable(Num(), 'null where there is too little evidence for one'),
    lower: nullable(Num(), 'the true value is surely not below; null where there is no bound'),
    upper: nullable(Num(), 'the true value is surely not above; null where there is no bound'),
    n: Count('observations behind the estimate'),
  },
)
export type Bounded = Static<typeof Bounded>

export type Edges = Pick<Bounded, 'lower' | 'upper'>
export const noEdges: Edges = { lower: null, upper: null }
