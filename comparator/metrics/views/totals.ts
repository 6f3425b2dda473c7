import type { MetricTree } from '../../../vocabulary/api/metrics.ts'
import { outputPrefix, treePathOf } from '../../../vocabulary/metric-path.ts'
import type { Policy } from '../../../vocabulary/policy.ts'
import { mcnemarP } from '../../statistics/mcnemar.ts'
import { catalogueOf } from '../catalogue/catalogue.ts'
import { estimatorOf } from '../estimates/estimator.ts'
import { type Evidence, evidenceUnder } from '../evidence/evidence.ts'
import { type Exchanges, exchangesOf } from '../evidence/exchanges.ts'
import {
  failedMeasurePrefix,
  fieldMeasurePrefix,
  misfitLabelMeasure,
  statusMeasurePrefix,
  unmappedMeasurePrefix,
} from '../measures.ts'
import { keptNames, otherName } from '../name-sample.ts'
import { policyOfOutput } from '../policy-of-output.ts'
import type { RollupRange } from '../rollup-range.ts'

const worstPathsMax = 20

const countedPrefixes = [failedMeasurePrefix, unmappedMeasurePrefix, statusMeasurePrefix]

/**
 * Every metric's value, nested by `treePathOf` its name; `null` where there is no evidence. Includes the counts
 * `failed.REASON`, `unmapped.LEG.CODE`, `status.LEG.STATUS` and `misfitLabels` where they are not zero, and
 * `worstPaths` for documents.
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
  if (misfits?.n) put(totals, ['misfitLabels'], misfits.n)
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
    const isCounted = countedPrefixes.some((prefix) => measure.startsWith(prefix))
    if (isCounted) put(totals, [...place, ...measure.split(':')], n)
  }
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
  // an output may be called `constructor`, which objects inherit
  if (!Object.hasOwn(tree, first!)) tree[first!] = {}
  put(tree[first!] as MetricTree, rest, value)
}
