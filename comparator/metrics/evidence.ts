import { type Distribution, distributionOfBins } from '../statistics/distribution.ts'
import { type Bins, mergeBins, mergeSums, type Sums } from './accumulate.ts'
import { binGroupsMax, type RollupRange } from './rollup-range.ts'

/** Some observations' rollups in one piece, as metrics are estimated from. */
export interface Evidence {
  sums: Sums
  /** The histogram of a measure; empty where it has none. */
  distributionOf(measure: string): Distribution
}

export function evidenceOf(range: RollupRange): Evidence {
  const sums: Sums = new Map()
  for (const bucket of range.buckets) mergeSums(sums, bucket.sums)
  const bins: Bins = new Map()
  for (const group of range.binGroups) mergeBins(bins, group.bins)
  return pieceOf(sums, bins)
}

const sumsUnder = new WeakMap<Sums, Map<string, Sums>>()

/** What stands under a prefix, as if it had none: the evidence of one of several outputs. */
export function evidenceUnder(evidence: Evidence, prefix: string): Evidence {
  if (prefix === '') return evidence
  const { sums, distributionOf } = evidence
  const known = sumsUnder.get(sums) ?? new Map<string, Sums>()
  sumsUnder.set(sums, known)
  const own = known.get(prefix) ?? under(sums, prefix)
  known.set(prefix, own)
  return { sums: own, distributionOf: (measure) => distributionOf(prefix + measure) }
}

function under(measures: Sums, prefix: string): Sums {
  const own: Sums = new Map()
  for (const [measure, value] of measures) {
    if (measure.startsWith(prefix)) own.set(measure.slice(prefix.length), value)
  }
  return own
}

/** Each group of histograms by itself. */
export function eachBinGroup(range: RollupRange): Evidence[] {
  return range.binGroups.map(({ bins }) => pieceOf(new Map(), bins))
}

/** The evidence without one group of buckets at a time, for the jackknife of what is computed from sums. */
export function withoutEachSumGroup(range: RollupRange, all: Evidence): Evidence[] {
  const size = Math.ceil(range.buckets.length / binGroupsMax)
  const groups: Sums[] = []
  range.buckets.forEach((bucket, i) => {
    if (i % size === 0) groups.push(new Map())
    mergeSums(groups.at(-1)!, bucket.sums)
  })
  return groups.map((group) => pieceOf(withoutSums(all.sums, group), new Map()))
}

/** The evidence without one group of histograms at a time. */
export function withoutEachBinGroup(range: RollupRange): Evidence[] {
  const all: Bins = new Map()
  for (const group of range.binGroups) mergeBins(all, group.bins)
  return range.binGroups.map((group) => pieceOf(new Map(), withoutBins(all, group.bins)))
}

function pieceOf(sums: Sums, bins: Bins): Evidence {
  const distributions = new Map<string, Distribution>()
  return {
    sums,
    distributionOf(measure) {
      let distribution = distributions.get(measure)
      if (distribution === undefined) {
        distribution = distributionOfBins(bins.get(measure) ?? new Map())
        distributions.set(measure, distribution)
      }
      return distribution
    },
  }
}

/** Least and greatest do not subtract; they stay those of the whole. */
function withoutSums(all: Sums, group: Sums): Sums {
  const rest: Sums = new Map(all)
  for (const [measure, part] of group) {
    const { n, sum, sumSq, min, max } = all.get(measure)!
    if (n === part.n) rest.delete(measure)
    else rest.set(measure, { n: n - part.n, sum: sum - part.sum, sumSq: sumSq - part.sumSq, min, max })
  }
  return rest
}

function withoutBins(all: Bins, group: Bins): Bins {
  const rest: Bins = new Map(all)
  for (const [measure, part] of group) {
    const counts = new Map(all.get(measure))
    for (const [bin, count] of part) counts.set(bin, counts.get(bin)! - count)
    rest.set(measure, counts)
  }
  return rest
}
