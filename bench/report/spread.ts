import { max, median, min } from 'simple-statistics'

/** Repeated measurements of one quantity: their median and range. */
export interface Spread {
  median: number
  min: number
  max: number
}

export const spreadOf = (values: number[]): Spread => ({ median: median(values), min: min(values), max: max(values) })

/** (max − min) / median. */
export const relativeRange = (spread: Spread): number => (spread.max - spread.min) / spread.median
