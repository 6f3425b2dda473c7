import { mainMetrics } from '../../../vocabulary/mapping/output-kind.ts'
import type { Policy } from '../../../vocabulary/policy.ts'
import { hourDimension, sliceKey } from '../../../vocabulary/slice/slice-key.ts'
import type { SlicesView, SliceView } from '../../../vocabulary/slice/slices.ts'
import type { TimeSpan } from '../../../vocabulary/units.ts'
import { catalogueOf, isOfEvidence } from '../../metrics/catalogue/catalogue.ts'
import { type MeasuresRead, measuresOf } from '../../metrics/catalogue/measures-read.ts'
import type { Metric } from '../../metrics/catalogue/metric.ts'
import { dimensionsOf, valuesIn } from '../../metrics/contributions/slice-values.ts'
import { estimatorOf } from '../../metrics/estimates/estimator.ts'
import { rangeOfHour, regrouped } from '../../metrics/evidence/cut-range.ts'
import { exchangesOf } from '../../metrics/evidence/exchanges.ts'
import { groupWidth, type RollupRange } from '../../metrics/rollup-range.ts'
import { betterOf, isWorse, worstFirst } from '../../metrics/views/judge-slices.ts'
import type { Db } from '../../store/database/open-database.ts'
import type { WindowRow } from '../../store/database/tables.ts'
import { readSliceRollups } from '../../store/rollups/slice-rollups.ts'
import { sliceBucketOf } from '../bucket-deltas.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import { refusedParameter } from '../errors.ts'
import { askedSpan, currentWindow, wholeBuckets } from '../gate/read-evidence.ts'

interface SliceRange {
  dimension: string
  value: string
  range: RollupRange
}

/** One metric in every slice of the current window, worst first; by default over the span that the gate judges. */
export async function viewSlices(
  { db }: Comparator,
  validation: KnownValidation,
  query: { metric?: string } & Partial<TimeSpan>,
): Promise<SlicesView> {
  const { policy } = validation
  const name = query.metric ?? mainMetrics[policy.output.kind]
  const metric = sliceableMetric(policy, name)
  const window = await currentWindow(db, validation)
  if (window === undefined) return viewRanges(policy, name, null, [])
  const span = wholeBuckets(askedSpan(policy, window, query), sliceBucketOf(window))
  const { overall, slices } = await readRanges(db, policy, window, { ...span, measures: measuresOf(metric) })
  return viewRanges(policy, name, overall, slices)
}

function sliceableMetric(policy: Policy, name: string): Metric {
  const metric = catalogueOf(policy).get(name)
  if (metric !== undefined && !isOfEvidence(metric)) return metric
  const known = [...catalogueOf(policy)].filter(([, of]) => !isOfEvidence(of))
  throw refusedParameter('metric', `one of ${known.map(([of]) => of).join(', ')}`, name)
}

async function readRanges(
  db: Db,
  policy: Policy,
  window: WindowRow,
  asked: TimeSpan & { measures: MeasuresRead },
): Promise<{ overall: RollupRange; slices: SliceRange[] }> {
  const query = { windowId: window.id, ...asked }
  const counted = dimensionsOf(policy).flatMap((dimension) =>
    valuesIn(window.slice_values, dimension).map((value) => ({ dimension, value, key: sliceKey(dimension, value) })),
  )
  const ofSlices = { ...query, slices: counted.map(({ key }) => key), bucketMs: sliceBucketOf(window) }
  const ranges = await readSliceRollups(db, { ...ofSlices, groupMs: groupWidth(ofSlices) })
  // slices by hour come from the gate's own buckets, each of which lies within an hour
  const ofAll = { ...query, slices: [''], bucketMs: window.bucket_ms, groupMs: window.bucket_ms }
  const all = (await readSliceRollups(db, ofAll)).get('')!
  const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'))
  return {
    overall: regrouped(all, groupWidth(all)),
    slices: [
      ...counted.map(({ dimension, value, key }) => ({ dimension, value, range: ranges.get(key)! })),
      ...hours.map((value) => ({ dimension: hourDimension, value, range: rangeOfHour(all, value) })),
    ],
  }
}

function viewRanges(policy: Policy, metric: string, overall: RollupRange | null, slices: SliceRange[]): SlicesView {
  const better = betterOf(metric)
  const filled = slices.flatMap((slice) => {
    const observations = observationsIn(slice.range)
    return observations > 0 ? [{ ...slice, observations }] : []
  })
  const whole = overall && estimatorOf(policy, overall, exchangesOf(overall, [])).bound(metric)
  // Bonferroni: with 1/m of the α for each, all bounds hold together at the policy's confidence
  const confidence = 1 - (1 - policy.confidence) / Math.max(1, filled.length)
  const corrected = { ...policy, confidence }
  const totalOf = (dimension: string) =>
    filled.filter((slice) => slice.dimension === dimension).reduce((sum, { observations }) => sum + observations, 0)
  const views = filled.map(({ dimension, value, range, observations }): SliceView => {
    const bounded = estimatorOf(corrected, range, exchangesOf(range, [])).bound(metric)
    return {
      slice: sliceKey(dimension, value),
      dimension,
      value,
      share: observations / totalOf(dimension),
      worse: isWorse(bounded, whole?.estimate ?? null, better),
      ...bounded,
    }
  })
  const isEmpty = overall === null || overall.buckets.length === 0
  return {
    metric,
    better,
    from: isEmpty ? null : new Date(overall.from).toISOString(),
    to: isEmpty ? null : new Date(overall.to).toISOString(),
    overall: whole ?? { estimate: null, lower: null, upper: null, n: 0 },
    dimensions: dimensionsOf(policy).map((name) => ({
      name,
      values: views.filter(({ dimension }) => dimension === name).length,
    })),
    confidence,
    slices: views.sort(worstFirst(better)),
  }
}

function observationsIn(range: RollupRange): number {
  const sizes = Object.values(exchangesOf(range, []).bySizeClass)
  return sizes.reduce((sum, { compared, skipped }) => sum + compared + skipped, 0)
}
