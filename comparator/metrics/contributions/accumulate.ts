import { type Bins, countValues, mergeBins } from '../../statistics/bin-counts.ts'
import { mergeSums, negated, type Sums } from '../../statistics/sums.ts'
import { isCell } from '../measures.ts'
import type { Contribution } from './contribution.ts'

export interface Accumulated {
  sums: Sums
  bins: Bins
}

/** Sums up the contributions of many observations. */
export function accumulate(contributions: Iterable<Contribution>): Accumulated {
  const sums: Sums = new Map()
  const values = new Map<string, number[]>()
  for (const contribution of contributions) {
    for (const [measure, value, square] of contribution.sums) addToSum(sums, measure, value, square)
    if (contribution.replaces) mergeSums(sums, negated(accumulate([contribution.replaces]).sums))
    for (const [measure, value] of contribution.bins) {
      const known = values.get(measure)
      if (known === undefined) values.set(measure, [value])
      else known.push(value)
    }
  }
  return { sums, bins: new Map([...values].map(([measure, of]) => [measure, countValues(of)])) }
}

/** The sum of separately accumulated parts, in the form of a rollup. Does not modify the parts. */
export function combined(parts: readonly Accumulated[]): { sums: Sums; cells: Sums; bins: Bins } {
  const all: Sums = new Map()
  for (const { sums } of parts) mergeSums(all, sums)
  return { ...splitCells(all), bins: mergeBins(parts.map(({ bins }) => bins)) }
}

function addToSum(sums: Sums, measure: string, value: number, square = value * value): void {
  const known = sums.get(measure)
  if (known === undefined) {
    sums.set(measure, { n: 1, sum: value, sumSq: square, min: value, max: value })
    return
  }
  known.n += 1
  known.sum += value
  known.sumSq += square
  if (value < known.min) known.min = value
  if (value > known.max) known.max = value
}

/** Separates matrix cells from all other sums. They are stored apart, as there may be thousands. */
export function splitCells(all: Sums): { sums: Sums; cells: Sums } {
  const sums: Sums = new Map()
  const cells: Sums = new Map()
  for (const [measure, sum] of all) (isCell(measure) ? cells : sums).set(measure, sum)
  return { sums, cells }
}
