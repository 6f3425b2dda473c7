import type { OutputKind } from '../../vocabulary/output-mapping.ts'
import { concordance, type PairMeans, pearson } from '../statistics/correlation.ts'
import { decileShares } from '../statistics/decile-shares.ts'
import { distributionDistances } from '../statistics/distribution-distances.ts'
import { jensenShannon } from '../statistics/jensen-shannon.ts'
import { type Cell, type Confusion, confusionFrom, kappa } from '../statistics/kappa.ts'
import { populationStability } from '../statistics/population-stability.ts'
import { quantile } from '../statistics/quantile.ts'
import type { Sums } from '../statistics/sums.ts'
import type { Evidence } from './evidence.ts'
import { foldCell } from './fold-cell.ts'
import { confusionCellOf, isFreeConfusion } from './measures.ts'
import { keptNames, otherName } from './name-sample.ts'
import { quantileSuffixes } from './quantile-metrics.ts'

/** A metric that is no mean of observations: its standard error comes from the jackknife. */
export interface Functional {
  name: string
  /** What it is computed from, hence whether the jackknife leaves out groups of buckets, or of cells and histograms. */
  from: 'sums' | 'cells' | 'bins'
  /** The measures whose sums it is computed from. */
  sums: readonly string[]
  /** Where it can lie. */
  least: number
  greatest: number
  /** Fewer samples a side have no bound: with few, chance alone drifts. */
  samplesMin: number
  estimate(evidence: Evidence): number | null
  samples(evidence: Evidence): number
}

/** PSI > 0.1 alarms falsely 85 % of the time at n = 100. */
const driftSamplesMin = 200

export function functionalsOf(kind: OutputKind): Functional[] {
  return [...(functionalsByKind[kind] ?? valueDrift), ...commonFunctionals]
}

const countOf = (measure: string) => (evidence: Evidence) => evidence.sums.get(measure)?.n ?? 0
const valuesOf = (measure: string) => (evidence: Evidence) => evidence.distributionOf(measure).total
const confusionTotal = ({ sums }: Evidence) => confusionIn(sums).total

const pairMeasures: readonly string[] = [
  'absError',
  'output.primary',
  'output.candidate',
  'primarySquare',
  'candidateSquare',
  'squaredError',
]
const ofPairsAlone = { from: 'sums', sums: pairMeasures } as const
const ofConfusion = { from: 'cells', sums: [] } as const
const ofBins = { from: 'bins', sums: [] } as const

const correlation = { ...ofPairsAlone, least: -1, greatest: 1, samplesMin: 0, samples: countOf('absError') } as const
const drift = { least: 0, samplesMin: driftSamplesMin } as const
const outputDrift = { ...drift, ...ofBins, samples: valuesOf('output.primary') } as const
const classDrift = { ...drift, ...ofConfusion, samples: confusionTotal } as const
const unbounded = Number.POSITIVE_INFINITY

const commonFunctionals: Functional[] = [
  ...Object.entries(quantileSuffixes).map(
    ([suffix, q]): Functional => ({
      name: `latency.ratio.${suffix}`,
      ...ofBins,
      least: 0,
      greatest: unbounded,
      samplesMin: 0,
      estimate: (evidence) => quantileRatio(evidence, q),
      samples: valuesOf('latency.candidate'),
    }),
  ),
  { name: 'outputDrift.ks', ...outputDrift, greatest: 1, estimate: (evidence) => distances(evidence)?.ks ?? null },
  {
    name: 'outputDrift.wasserstein',
    ...outputDrift,
    greatest: unbounded,
    estimate: (evidence) => distances(evidence)?.wasserstein ?? null,
  },
]

/** Of what each answer is measured by: its value, its norm, how many boxes, characters or fields it has. */
const valueDrift: Functional[] = [
  {
    name: 'outputDrift.psi',
    ...outputDrift,
    greatest: unbounded,
    estimate: (evidence) => ofShares(valueShares(evidence), populationStability),
  },
  {
    name: 'outputDrift.js',
    ...outputDrift,
    greatest: 1,
    estimate: (evidence) => ofShares(valueShares(evidence), jensenShannon),
  },
]

const correlations: Functional[] = [
  { name: 'pearson', ...correlation, estimate: ({ sums }) => ofPairs(sums, pearson) },
  { name: 'ccc', ...correlation, estimate: ({ sums }) => ofPairs(sums, concordance) },
]

const classificationFunctionals: Functional[] = [
  {
    name: 'kappa',
    ...ofConfusion,
    least: -1,
    greatest: 1,
    samplesMin: 0,
    estimate: ({ sums }) => kappa(confusionIn(sums)),
    samples: confusionTotal,
  },
  {
    name: 'outputDrift.psi',
    ...classDrift,
    greatest: unbounded,
    estimate: ({ sums }) => ofShares(classShares(sums), populationStability),
  },
  {
    name: 'outputDrift.js',
    ...classDrift,
    greatest: 1,
    estimate: ({ sums }) => ofShares(classShares(sums), jensenShannon),
  },
]

const functionalsByKind: Partial<Record<OutputKind, Functional[]>> = {
  regression: [...correlations, ...valueDrift],
  classification: classificationFunctionals,
}

const confusionBySums = new WeakMap<Sums, Confusion>()

/** Of finished sums: what is merged into them afterwards would not show. */
export function confusionIn(sums: Sums): Confusion {
  let confusion = confusionBySums.get(sums)
  if (confusion === undefined) {
    confusion = confusionFrom(countedCells(sums))
    confusionBySums.set(sums, confusion)
  }
  return confusion
}

function countedCells(sums: Sums): Cell[] {
  const cells: Cell[] = []
  const free: Cell[] = []
  let givenUpAbove = Number.POSITIVE_INFINITY
  for (const [measure, { n, min }] of sums) {
    const labels = confusionCellOf(measure)
    if (labels === null) continue
    if (!isFreeConfusion(measure)) {
      cells.push([...labels, n])
      continue
    }
    free.push([...labels, n])
    if (labels.includes(otherName)) givenUpAbove = Math.min(givenUpAbove, min)
  }
  return free.length === 0 ? cells : [...cells, ...foldLabels(free, givenUpAbove)]
}

/** The cells of undeclared labels, with what is not among the kept ones as others. */
function foldLabels(cells: Cell[], givenUpAbove: number): Cell[] {
  const { rows, columns } = confusionFrom(cells)
  const kept = keptNames([...rows.keys(), ...columns.keys()], givenUpAbove)
  const folded = new Map<string, Cell>()
  for (const [row, column, count] of cells) {
    const [p, c] = foldCell(row, column, (label) => kept.has(label))
    const key = JSON.stringify([p, c])
    const known = folded.get(key)
    if (known === undefined) folded.set(key, [p, c, count])
    else known[2] += count
  }
  return [...folded.values()]
}

function quantileRatio(evidence: Evidence, q: number): number | null {
  const primary = quantile(evidence.distributionOf('latency.primary'), q)
  const candidate = quantile(evidence.distributionOf('latency.candidate'), q)
  return primary === null || candidate === null || primary <= 0 ? null : candidate / primary
}

function distances(evidence: Evidence) {
  return distributionDistances(evidence.distributionOf('output.primary'), evidence.distributionOf('output.candidate'))
}

interface Shares {
  a: number[]
  b: number[]
}

/** Of what each answer is measured by, between the primary's deciles. */
export function valueShares(evidence: Evidence): (Shares & { edges: number[] }) | null {
  return decileShares(evidence.distributionOf('output.primary'), evidence.distributionOf('output.candidate'))
}

/** Of the predicted classes. */
export function classShares(sums: Sums): (Shares & { labels: string[] }) | null {
  const { rows, columns, total } = confusionIn(sums)
  if (total <= 0) return null
  const labels = [...new Set([...rows.keys(), ...columns.keys()])]
  return {
    labels,
    a: labels.map((label) => (rows.get(label) ?? 0) / total),
    b: labels.map((label) => (columns.get(label) ?? 0) / total),
  }
}

function ofShares(shares: Shares | null, statistic: (a: number[], b: number[]) => number | null): number | null {
  return shares === null ? null : statistic(shares.a, shares.b)
}

function ofPairs(sums: Sums, statistic: (means: PairMeans) => number | null): number | null {
  const meanOf = (measure: string) => {
    const sum = sums.get(measure)
    return sum === undefined ? Number.NaN : sum.sum / sum.n
  }
  const means: PairMeans = {
    p: meanOf('output.primary'),
    c: meanOf('output.candidate'),
    pp: meanOf('primarySquare'),
    cc: meanOf('candidateSquare'),
    dd: meanOf('squaredError'),
  }
  return Object.values(means).some(Number.isNaN) ? null : statistic(means)
}
