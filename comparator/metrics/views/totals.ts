import { type Bounded, type Edges, noEdges } from '../../../vocabulary/bounded.ts'
import { sideOf } from '../../../vocabulary/mapping-side.ts'
import { outputPrefix, treePathOf } from '../../../vocabulary/metric-path.ts'
import type { MetricsView, MetricTree } from '../../../vocabulary/metrics.ts'
import type { Policy } from '../../../vocabulary/policy.ts'
import { confusionFrom } from '../../statistics/kappa.ts'
import { mcnemarP } from '../../statistics/mcnemar.ts'
import { catalogueOf, type Metric } from '../catalogue/catalogue.ts'
import { distributionBehind } from '../catalogue/quantile-metrics.ts'
import { unseenSizeOf } from '../catalogue/unseen-size.ts'
import { policyOfOutput } from '../contributions/observation-contribution.ts'
import { estimatorOf } from '../estimates/estimator.ts'
import { finite } from '../estimates/finite.ts'
import { boundOfFewBuckets } from '../estimates/mean-bound.ts'
import { clustersMin } from '../estimates/projection.ts'
import { boundOfQuantileOfFew } from '../estimates/quantile-bound.ts'
import { confusionIn } from '../evidence/confusion-in.ts'
import { type Evidence, evidenceUnder } from '../evidence/evidence.ts'
import { type Exchanges, exchangesOf } from '../evidence/exchanges.ts'
import { failedMeasurePrefix, fieldMeasurePrefix, misfitLabelMeasure, unmappedMeasurePrefix } from '../measures.ts'
import { keptNames, otherName } from '../name-sample.ts'
import type { RollupRange } from '../rollup-range.ts'

/** Of more labels, only the most frequent are shown. */
const confusionLabelsMax = 100

const worstPathsMax = 20

/**
 * Every metric's value, nested by `treePathOf` its name; `null` where there is no evidence. Includes the counts
 * `failed.REASON`, `unmapped.LEG.CODE` and `misfitLabels` where they are not zero, and `worstPaths` for documents.
 * `exchanges` is what coverage counts; by default only the observations.
 */
export function totalsOf(policy: Policy, range: RollupRange, exchanges?: Exchanges): MetricTree {
  const { estimate, evidence } = estimatorOf(policy, range, exchanges ?? exchangesOf(range, []))
  const totals: MetricTree = {}
  for (const name of catalogueOf(policy).keys()) {
    put(totals, treePathOf(name), estimate(name).estimate)
  }
  put(totals, ['labelled'], labelledIn(evidence))
  const misfits = evidence.sums.get(misfitLabelMeasure)
  if (misfits !== undefined) put(totals, ['misfitLabels'], misfits.n)
  if (policy.output.kind === 'classification') put(totals, ['accuracy', 'mcnemarP'], mcnemarOf(evidence))
  for (const output of ['', ...Object.keys(policy.outputs ?? {})]) {
    putCounts(totals, policyOfOutput(policy, output), evidenceUnder(evidence, outputPrefix(output)), output)
  }
  return totals
}

/** Adds the counts of one output that are no metrics. */
function putCounts(totals: MetricTree, { output: { kind } }: Policy, evidence: Evidence, output: string): void {
  const place = output === '' ? [] : ['outputs', output]
  if (kind === 'json') put(totals, [...place, 'worstPaths'], worstPathsOf(evidence))
  for (const [measure, { n }] of evidence.sums) {
    const isCounted = measure.startsWith(failedMeasurePrefix) || measure.startsWith(unmappedMeasurePrefix)
    if (isCounted) put(totals, [...place, ...measure.split(':')], n)
  }
}

/** The bound of every metric, by flat name. */
export function boundsOf(policy: Policy, range: RollupRange, exchanges?: Exchanges): Record<string, Bounded> {
  const { bound } = estimatorOf(policy, range, exchanges ?? exchangesOf(range, []))
  return Object.fromEntries([...catalogueOf(policy).keys()].map((name) => [name, bound(name)]))
}

/**
 * The bounds of one step of a chart, by flat metric name. If a step has too few buckets, or groups of histograms, for a
 * bound, those of its means and quantiles take exchanges as independent. They describe the step; the gate never uses
 * them.
 */
export function stepBoundsOf(policy: Policy, range: RollupRange): Record<string, Edges> {
  const estimator = estimatorOf(policy, range, exchangesOf(range, []))
  const alpha = 1 - policy.confidence
  const boundOf = (name: string, metric: Metric): Edges | undefined => {
    const units = metric.kind === 'quantile' ? range.groups : range.buckets
    if (units.length >= clustersMin) return estimator.bound(name)
    return boundOfFew(metric, estimator.evidence, alpha)
  }
  return Object.fromEntries(
    [...catalogueOf(policy)].flatMap(([name, metric]) => {
      const bound = boundOf(name, metric)
      return bound === undefined ? [] : [[name, bound]]
    }),
  )
}

function boundOfFew(metric: Metric, evidence: Evidence, alpha: number): Edges | undefined {
  if (metric.kind === 'quantile') return boundOfQuantileOfFew(distributionBehind(metric, evidence), metric.q, alpha)
  if (metric.kind !== 'mean') return undefined
  const total = evidence.sums.get(metric.measure)
  const size = metric.size && unseenSizeOf(metric.size, evidence.sums)
  const bound = total && boundOfFewBuckets(total, metric.support, alpha, size)
  return bound ? { lower: finite(bound.lower), upper: finite(bound.upper) } : noEdges
}

/**
 * The confusion matrix. Labels are in the mapping's order or, without one, numbers by value, then names alphabetically.
 */
export function confusionOf(policy: Policy, { sums }: Evidence): MetricsView['confusion'] {
  if (policy.output.kind !== 'classification') return null
  const { cells, rows, columns } = confusionFrom(confusionIn(sums).cells)
  if (cells.length === 0) return null
  const frequency = (label: string) => (rows.get(label) ?? 0) + (columns.get(label) ?? 0)
  const known =
    sideOf(policy.output, 'primary').labels ?? [...new Set([...rows.keys(), ...columns.keys()])].sort(byNumberThenName)
  const shown = new Set(
    known.length <= confusionLabelsMax
      ? known
      : known.toSorted((a, b) => frequency(b) - frequency(a)).slice(0, confusionLabelsMax),
  )
  const labels = known.filter((label) => shown.has(label))
  const indexOf = new Map(labels.map((label, i) => [label, i]))
  const counts = labels.map(() => labels.map(() => 0))
  for (const [row, column, count] of cells) {
    const i = indexOf.get(row)
    const j = indexOf.get(column)
    if (i !== undefined && j !== undefined) counts[i]![j]! += count
  }
  return { labels, counts }
}

function labelledIn({ sums }: Evidence): number {
  return sums.get('accuracy.primary')?.n ?? sums.get('mae.primary')?.n ?? 0
}

function mcnemarOf({ sums }: Evidence): number | null {
  const drift = sums.get('accuracy.drift')
  if (drift === undefined) return null
  // for values −1, 0 and 1, Σx² − Σx and Σx² + Σx are twice the counts of −1 and of 1; the rows of an exchange count as
  // one
  const [lost, won] = [drift.sumSq - drift.sum, drift.sumSq + drift.sum].map((twice) => Math.round(twice / 2))
  return mcnemarP(lost!, won!)
}

function byNumberThenName(a: string, b: string): number {
  const [x, y] = [Number(a), Number(b)]
  if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1
  return x - y || (a < b ? -1 : 1)
}

/** The places where documents differ most often, with the share of compared pairs that differ there, greatest first. */
function worstPathsOf({ sums }: Evidence): MetricTree {
  const compared = sums.get('valueChanges')?.n ?? 0
  const counts = new Map<string, number>()
  let givenUpAbove = Number.POSITIVE_INFINITY
  for (const [measure, { n, min }] of sums) {
    if (!measure.startsWith(fieldMeasurePrefix)) continue
    const path = measure.slice(fieldMeasurePrefix.length)
    counts.set(path, n)
    if (path === otherName) givenUpAbove = min
  }
  const kept = keptNames(counts.keys(), givenUpAbove)
  const shares = [...counts]
    .filter(([path]) => kept.has(path))
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, worstPathsMax)
    .map(([path, n]): [string, number] => [path, n / compared])
  return Object.fromEntries(shares)
}

function put(tree: MetricTree, path: string[], value: number | null | MetricTree): void {
  const [first, ...rest] = path
  if (rest.length === 0) {
    tree[first!] = value
    return
  }
  tree[first!] ??= {}
  put(tree[first!] as MetricTree, rest, value)
}
