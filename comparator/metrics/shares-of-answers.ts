import { decileShares } from '../statistics/decile-shares.ts'
import type { Sums } from '../statistics/sums.ts'
import { confusionIn } from './confusion-in.ts'
import type { Evidence } from './evidence.ts'
import { anotherName } from './fold-cell.ts'
import { keptNames, otherName } from './name-sample.ts'

/** The shares of two samples of answers over the same bins, or classes. */
export interface Shares {
  a: number[]
  b: number[]
}

/** Of what each side's answer is measured by, between the primary's deciles. */
export function valueShares({ distributionOf }: Evidence): (Shares & { edges: number[] }) | null {
  return decileShares(distributionOf('output.primary'), distributionOf('output.candidate'))
}

/** Of the classes that the sides predicted. What tells two of the others apart is no class of the candidate's. */
export function classShares(sums: Sums): (Shares & { labels: string[] }) | null {
  const { rows, columns, givenUpAbove } = confusionIn(sums)
  if (givenUpAbove === null) return sharesOfCounts(rows, columns)
  return sharesOfCounts(
    rows,
    foldCounts(columns, (label) => label !== anotherName),
  )
}

/** Of the classes that one side predicted before and after. Each label has one name in both, or is among the others. */
export function classSharesOverTime(
  before: Sums,
  after: Sums,
  leg: 'primary' | 'candidate',
): (Shares & { labels: string[] }) | null {
  const [first, later] = [confusionIn(before), confusionIn(after)]
  const counts = [first, later].map(({ rows, columns }) => (leg === 'primary' ? rows : columns))
  const thresholds = [first, later].flatMap(({ givenUpAbove }) => givenUpAbove ?? [])
  if (thresholds.length === 0) return sharesOfCounts(counts[0]!, counts[1]!)
  const names = [first, later].flatMap(({ rows, columns }) => [...rows.keys(), ...columns.keys()])
  const kept = keptNames(
    names.filter((name) => name !== anotherName),
    Math.min(...thresholds),
  )
  const [a, b] = counts.map((count) => foldCounts(count, (label) => kept.has(label)))
  return sharesOfCounts(a!, b!)
}

type Counts = ReadonlyMap<string, number>

function foldCounts(counts: Counts, isKept: (label: string) => boolean): Counts {
  const folded = new Map<string, number>()
  for (const [label, count] of counts) {
    const name = isKept(label) ? label : otherName
    folded.set(name, (folded.get(name) ?? 0) + count)
  }
  return folded
}

function sharesOfCounts(a: Counts, b: Counts): (Shares & { labels: string[] }) | null {
  const totalOf = (counts: Counts) => counts.values().reduce((total, count) => total + count, 0)
  const [totalA, totalB] = [totalOf(a), totalOf(b)]
  if (totalA <= 0 || totalB <= 0) return null
  const labels = [...new Set([...a.keys(), ...b.keys()])]
  return {
    labels,
    a: labels.map((label) => (a.get(label) ?? 0) / totalA),
    b: labels.map((label) => (b.get(label) ?? 0) / totalB),
  }
}
