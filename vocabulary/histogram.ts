import { type Static, Type } from 'typebox'
import { named } from './schema.ts'

export const HistogramPair = named('HistogramPair', {
  edges: Type.Array(Type.Number()),
  primary: Type.Array(Type.Number()),
  candidate: Type.Array(Type.Number()),
})
export type HistogramPair = Static<typeof HistogramPair>

/** `edges` has one more entry than `counts`. */
export const Histogram = named('Histogram', {
  edges: Type.Array(Type.Number()),
  counts: Type.Array(Type.Number()),
})
export type Histogram = Static<typeof Histogram>
