import type { OutputKind } from '../../../vocabulary/mapping/output-kind.ts'
import { decileShares } from '../../statistics/decile-shares.ts'
import type { Sums } from '../../statistics/sums.ts'
import { keptNames, otherName } from '../name-sample.ts'
import { confusionIn, othersIn } from './confusion-in.ts'
import type { Evidence } from './evidence.ts'
import { outputValues } from './output-values.ts'

/** The shares of two samples of answers over the same bins or classes. */
export interface Shares {
  a: number[]
  b: number[]
  /** The sum of the shares of `a` and `b` in classes merged into others that may be different ones. */
  hidden?: number
}

type SharesOfClasses = Shares & { labels: string[] }

/** The shares of both sides' values between the primary's deciles. */
export function valueShares(kind: OutputKind, evidence: Evidence): (Shares & { edges: number[] }) | null {
  return decileShares(outputValues(kind, evidence, 'primary'), outputValues(kind, evidence, 'candidate'))
}

/**
 * The shares of the classes that the sides predicted. Others that agree are of the same class, so they hide nothing.
 */
export function classShares(sums: Sums): SharesOfClasses | null {
  const confusion = confusionIn(sums)
  const { primary, candidate, agreed } = othersIn(confusion)
  const shares = sharesOfCounts(confusion.rows, confusion.columns)
  return shares && { ...shares, hidden: (primary + candidate - 2 * agreed) / confusion.total }
}

/**
 * The shares of the classes that one side predicted before and after. A label is kept in both, or among others in both.
 */
export function classSharesOverTime(before: Sums, after: Sums, leg: 'primary' | 'candidate'): SharesOfClasses | null {
  const [first, later] = [confusionIn(before), confusionIn(after)]
  const counts = [first, later].map(({ rows, columns }) => (leg === 'primary' ? rows : columns))
  const thresholds = [first, later].flatMap(({ givenUpAbove }) => givenUpAbove ?? [])
  const names = [first, later].flatMap(({ rows, columns }) => [...rows.keys(), ...columns.keys()])
  const kept = thresholds.length > 0 ? keptNames(names, Math.min(...thresholds)) : null
  const [a, b] = counts.map((count) => (kept === null ? count : foldCounts(count, kept)))
  const shares = sharesOfCounts(a!, b!)
  if (shares === null) return null
  const others = kept === null ? -1 : shares.labels.indexOf(otherName)
  return { ...shares, hidden: others < 0 ? 0 : shares.a[others]! + shares.b[others]! }
}

type Counts = ReadonlyMap<string, number>

function foldCounts(counts: Counts, kept: ReadonlySet<string>): Counts {
  const folded = new Map<string, number>()
  for (const [label, count] of counts) {
    const name = kept.has(label) ? label : otherName
    folded.set(name, (folded.get(name) ?? 0) + count)
  }
  return folded
}

function sharesOfCounts(a: Counts, b: Counts): SharesOfClasses | null {
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
