import { max, median, min } from 'simple-statistics'

/** Repeated measurements of one thing: their median, and how far they lie apart. */
export interface Spread {
  median: number
  min: number
  max: number
}

export const spreadOf = (values: number[]): Spread => ({ median: median(values), min: min(values), max: max(values) })

/** (max − min) / median. */
export const relativeRange = (spread: Spread): number => (spread.max - spread.min) / spread.median
