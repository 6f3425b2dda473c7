import { dayMs } from '../../../vocabulary/units.ts'
import { type BinCounts, type Bins, noCounts, sumOf, without } from '../../statistics/bin-counts.ts'
import { type Distribution, distributionOfBins } from '../../statistics/distribution.ts'
import { mergeSum, mergeSums, type Sums } from '../../statistics/sums.ts'
import { isCell } from '../measures.ts'
import { groupsMax, type RollupRange } from '../rollup-range.ts'
import { mergeGroups } from './cut-range.ts'
import { once, onceEach } from './once.ts'

/** The merged rollups that metrics are estimated from. */
export interface Evidence {
  sums: Sums
  /** The histogram of a measure; empty if it has none. */
  binsOf(measure: string): BinCounts
  distributionOf(measure: string): Distribution
  /** Cells and histograms of the first day and of the time after it; `null` if nothing came after it. */
  firstDay(): FirstDay | null
}

interface FirstDay {
  first: Evidence
  later: Evidence
}

const evidenceByRange = new WeakMap<RollupRange, Evidence>()

/** The evidence of a range. It is cached by `range`, which must not change afterwards. */
export function evidenceOf(range: RollupRange): Evidence {
  return evidenceByRange.getOrInsertComputed(range, () => {
    const sums: Sums = new Map()
    for (const bucket of range.buckets) mergeSums(sums, bucket.sums)
    for (const group of range.groups) mergeSums(sums, group.cells)
    const found = pieceOf(sums, (measure) => sumOf(range.groups.map(({ bins }) => bins.get(measure) ?? noCounts)))
    return { ...found, firstDay: once(() => firstDayIn(range, found)) }
  })
}

const sumsUnder = new WeakMap<Sums, Map<string, Sums>>()

/** The measures with a prefix, without it: the evidence of one of several outputs. */
export function evidenceUnder(evidence: Evidence, prefix: string): Evidence {
  if (prefix === '') return evidence
  const { sums, binsOf, distributionOf, firstDay } = evidence
  const known = sumsUnder.getOrInsertComputed(sums, () => new Map())
  const own = known.getOrInsertComputed(prefix, () => under(sums, prefix))
  return {
    sums: own,
    binsOf: (measure) => binsOf(prefix + measure),
    distributionOf: (measure) => distributionOf(prefix + measure),
    firstDay: () => {
      const found = firstDay()
      return found && { first: evidenceUnder(found.first, prefix), later: evidenceUnder(found.later, prefix) }
    },
  }
}

function under(measures: Sums, prefix: string): Sums {
  const own: Sums = new Map()
  for (const [measure, value] of measures) {
    if (measure.startsWith(prefix)) own.set(measure.slice(prefix.length), value)
  }
  return own
}

/** Each group's cells and histograms alone. */
export function eachGroup(range: RollupRange): Evidence[] {
  return range.groups.map(({ cells, bins }) => pieceOf(cells, (measure) => bins.get(measure) ?? noCounts))
}

/**
 * The sums without those of one group of buckets at a time, for the jackknife; only of the measures for which `isRead`
 * is true.
 */
export function withoutEachSumGroup(range: RollupRange, isRead: (measure: string) => boolean): Evidence[] {
  const all: Sums = new Map([...evidenceOf(range).sums].filter(([measure]) => isRead(measure)))
  const size = Math.ceil(range.buckets.length / groupsMax)
  const groups: Sums[] = []
  range.buckets.forEach(({ sums }, i) => {
    if (i % size === 0) groups.push(new Map())
    for (const measure of all.keys()) {
      const sum = sums.get(measure)
      if (sum !== undefined) mergeSum(groups.at(-1)!, measure, sum)
    }
  })
  return groups.map((group) => pieceOf(withoutSums(all, group), () => noCounts))
}

/** The cells and histograms without those of one group at a time. */
export function withoutEachGroup(range: RollupRange): Evidence[] {
  const all = evidenceOf(range)
  const allCells = cellsOf(all.sums)
  return range.groups.map(({ cells, bins }) => restOf(all, allCells, cells, bins))
}

/** Number of groups of the first day: all that begin within 24 hours of the first bucket. */
function groupsOfFirstDay({ buckets, groups }: RollupRange): number {
  const end = (buckets[0]?.at ?? 0) + dayMs
  const later = groups.findIndex(({ at }) => at >= end)
  return later === -1 ? groups.length : later
}

function firstDayIn(range: RollupRange, all: Evidence): FirstDay | null {
  const count = groupsOfFirstDay(range)
  if (count === 0 || count === range.groups.length) return null
  const { cells, bins } = mergeGroups(range.from, range.groups.slice(0, count))
  const first = pieceOf(cells, (measure) => bins.get(measure) ?? noCounts)
  return { first, later: restOf(all, cellsOf(all.sums), cells, bins) }
}

/** The evidence without one group at a time of those after the first day; the first day itself is kept whole. */
export function withoutEachLaterGroup(range: RollupRange): Evidence[] {
  const all = evidenceOf(range)
  const found = all.firstDay()
  if (found === null) return []
  const { first, later } = found
  return range.groups.slice(groupsOfFirstDay(range)).map(({ cells, bins }) => {
    const rest = restOf(later, later.sums, cells, bins)
    return { ...all, firstDay: () => ({ first, later: rest }) }
  })
}

/** Cells and histograms without those of a group. */
function restOf(all: Evidence, allCells: Sums, cells: Sums, bins: Bins): Evidence {
  return pieceOf(withoutSums(allCells, cells), (measure) => without(all.binsOf(measure), bins.get(measure) ?? noCounts))
}

const cellsOf = (sums: Sums): Sums => new Map([...sums].filter(([measure]) => isCell(measure)))

function pieceOf(sums: Sums, binsOf: (measure: string) => BinCounts): Evidence {
  const kept = onceEach(binsOf)
  const distributionOf = onceEach((measure: string) => distributionOfBins(kept(measure)))
  return { sums, binsOf: kept, distributionOf, firstDay: () => null }
}

/** Subtracts sums; `min` and `max` cannot be subtracted, and stay those of the whole. */
function withoutSums(all: Sums, group: Sums): Sums {
  const rest: Sums = new Map(all)
  for (const [measure, part] of group) {
    const { n, sum, sumSq, min, max } = all.get(measure)!
    if (n === part.n) rest.delete(measure)
    else rest.set(measure, { n: n - part.n, sum: sum - part.sum, sumSq: sumSq - part.sumSq, min, max })
  }
  return rest
}
