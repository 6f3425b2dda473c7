import type { MetricsView } from '../../vocabulary/api.ts'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import { boundsOf, confusionOf, histogramPairOf, stepBoundsOf, totalsOf } from '../metrics/compute.ts'
import { type RollupRange, roundedWidth } from '../metrics/rollup-range.ts'
import { readHistograms } from '../store/histograms.ts'
import { readRollups } from '../store/rollups.ts'
import type { WindowRow } from '../store/tables.ts'
import { resolutionsOf } from './bucket-deltas.ts'
import type { Comparator, KnownValidation } from './comparator.ts'
import {
  currentWindow,
  type Evidence,
  emptyEvidence,
  judgedEvidence,
  readEvidence,
  wholeBuckets,
} from './read-evidence.ts'

/** The charts' default, and the most that one answer holds. */
const stepsDefault = 60
export const stepsMax = 1000

/** Totals, bounds and series over [from, to); without them over what the gate judges. */
export async function viewMetrics(
  { db }: Comparator,
  validation: KnownValidation,
  query: { from?: EpochMs; to?: EpochMs; stepMs?: Milliseconds },
): Promise<MetricsView> {
  const window = await currentWindow(db, validation)
  if (!window) return viewEvidence(validation, emptyEvidence(validation.bucketMs), [], validation.bucketMs)

  const last = window.last_at.getTime()
  const to = query.to ?? last + 1
  const from = Math.min(query.from ?? Math.max(window.began_at.getTime(), last - validation.policy.window.duration), to)
  const explicit = query.from !== undefined || query.to !== undefined
  const evidence = explicit
    ? await readEvidence(db, validation, window, { from, to })
    : await judgedEvidence(db, validation, window)

  const { bucketMs, stepMs } = resolve(window.bucket_ms, query.stepMs, to - from)
  const range = await readSteps(db, window, evidence.range, { from, to, bucketMs, stepMs })
  return viewEvidence(validation, evidence, splitBySteps(range, stepMs), stepMs)
}

/** What the steps are cut from. Where they are made of the gate's own buckets, its sums are at hand. */
async function readSteps(
  db: Comparator['db'],
  window: WindowRow,
  judged: RollupRange,
  { from, to, bucketMs, stepMs }: { from: EpochMs; to: EpochMs; bucketMs: Milliseconds; stepMs: Milliseconds },
): Promise<RollupRange> {
  const whole = wholeBuckets({ from, to }, bucketMs)
  const query = { windowId: window.id, bucketMs, ...whole, groupMs: stepMs }
  const isJudged = bucketMs === judged.bucketMs && whole.from === judged.from && whole.to === judged.to
  return isJudged ? { ...judged, binGroups: await readHistograms(db, query) } : readRollups(db, query)
}

/** The coarsest rollup that still fits the step; the step, a multiple of it that keeps the answer small. */
function resolve(gateBucketMs: Milliseconds, wanted: Milliseconds | undefined, spanMs: Milliseconds) {
  const target = Math.max(wanted ?? spanMs / stepsDefault, spanMs / stepsMax, 1)
  const widths = resolutionsOf(gateBucketMs)
  const bucketMs = widths.find((width) => width <= target) ?? widths.at(-1)!
  // a window of 30 days and its last millisecond still has steps of half a day
  const stepMs = bucketMs * Math.max(1, Math.ceil(target / bucketMs - 1e-3))
  return { bucketMs, stepMs: wanted === undefined ? roundedWidth(stepMs, bucketMs) : stepMs }
}

/** One range a step, also where nothing came. */
function splitBySteps(range: RollupRange, stepMs: Milliseconds): RollupRange[] {
  const steps: RollupRange[] = []
  const first = Math.floor(range.from / stepMs) * stepMs
  for (let at = first; at < range.to; at += stepMs) {
    steps.push({ from: at, to: at + stepMs, bucketMs: range.bucketMs, buckets: [], binGroups: [] })
  }
  const stepAt = (at: EpochMs) => steps[Math.floor((at - first) / stepMs)]
  for (const bucket of range.buckets) stepAt(bucket.at)?.buckets.push(bucket)
  for (const group of range.binGroups) stepAt(group.at)?.binGroups.push(group)
  return steps
}

function viewEvidence(
  { policy }: KnownValidation,
  { range, exchanges }: Evidence,
  steps: RollupRange[],
  stepMs: Milliseconds,
): MetricsView {
  const empty = range.buckets.length === 0
  return {
    from: empty ? null : new Date(range.from).toISOString(),
    to: empty ? null : new Date(range.to).toISOString(),
    stepMs,
    totals: totalsOf(policy, range, exchanges),
    bounds: boundsOf(policy, range, exchanges),
    series: steps.map((step) => ({
      at: new Date(step.from).toISOString(),
      ...totalsOf(policy, step),
    })),
    seriesBounds: steps.map((step) =>
      Object.fromEntries(
        Object.entries(stepBoundsOf(policy, step)).map(([metric, { lower, upper }]) => [metric, { lower, upper }]),
      ),
    ),
    distributions: { latency: histogramPairOf(range, 'latency'), output: histogramPairOf(range, 'output') },
    confusion: confusionOf(policy, range),
  }
}
