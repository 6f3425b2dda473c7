import { type Static, Type } from 'typebox'
import { named } from '../schema.ts'

const edges = Type.Array(Type.Number(), {
  description:
    'bin edges, ascending: one more than there are bins; the outermost bins also hold all values beyond them',
})
const Counts = (description: string) => Type.Array(Type.Number(), { description })

export const HistogramPair = named('HistogramPair', 'Two histograms over the same bins.', {
  edges,
  primary: Counts("how many of the primary's values are in each bin"),
  candidate: Counts("how many of the candidate's values are in each bin"),
})
export type HistogramPair = Static<typeof HistogramPair>

export const Histogram = named('Histogram', 'A distribution of values.', {
  edges,
  counts: Counts('how many values are in each bin'),
})
export type Histogram = Static<typeof Histogram>
