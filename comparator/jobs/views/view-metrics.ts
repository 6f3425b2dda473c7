import type { MetricsView } from '../../../vocabulary/api/metrics.ts'
import { outputPrefix } from '../../../vocabulary/metric-path.ts'
import type { Policy } from '../../../vocabulary/policy.ts'
import { hourIn } from '../../../vocabulary/slice/slice-key.ts'
import type { Milliseconds, TimeSpan } from '../../../vocabulary/units.ts'
import { splitBySteps, withinHour } from '../../metrics/evidence/cut-range.ts'
import { evidenceOf, evidenceUnder } from '../../metrics/evidence/evidence.ts'
import { policyOfOutput } from '../../metrics/policy-of-output.ts'
import { type RollupRange, roundedWidth } from '../../metrics/rollup-range.ts'
import { boundsOf, stepBoundsOf } from '../../metrics/views/bounds.ts'
import { confusionOf } from '../../metrics/views/confusion-matrix.ts'
import { drawnSteps, shortened } from '../../metrics/views/drawn-steps.ts'
import { psiPartsOf } from '../../metrics/views/psi-parts.ts'
import { totalsOf } from '../../metrics/views/totals.ts'
import { latencyDistributionsOf, outputDistributionsOf } from '../../metrics/views/view-distributions.ts'
import type { WindowRow } from '../../store/database/tables.ts'
import { readGroups } from '../../store/rollups/folded-groups.ts'
import { readRollups } from '../../store/rollups/rollups.ts'
import { resolutionsSince, sliceBucketOf } from '../bucket-deltas.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import {
  askedSpan,
  currentWindow,
  type Evidence,
  emptyEvidence,
  type JudgedEvidence,
  judgedEvidence,
  noiseFloorEvidence,
  readEvidence,
  readSlice,
  wholeBuckets,
} from '../gate/read-evidence.ts'
import { mappingNamed } from './named-output.ts'
import { requireSlice } from './named-slice.ts'

/** Number of steps in a series: by default, and at most. */
const stepsDefault = 60
const stepsMax = 1000

/** Totals, bounds and series over the span asked for; by default over the span that the gate judges. */
export async function viewMetrics(
  { db, clock }: Comparator,
  validation: KnownValidation,
  query: Partial<TimeSpan> & { stepMs?: Milliseconds; slice?: string; output?: string; window?: WindowRow },
): Promise<MetricsView> {
  const { slice = '', output = '' } = query
  requireSlice(validation, slice)
  mappingNamed(validation, output)
  const of = { slice, output }
  const window = query.window ?? (await currentWindow(db, validation))
  if (!window) {
    return viewEvidence(validation, of, emptyEvidence(validation.bucketMs), { steps: [], stepMs: validation.bucketMs })
  }

  const { from, to } = askedSpan(validation.policy, window, query)
  if (slice !== '') return viewSliceMetrics(db, validation, window, { ...of, from, to, stepMs: query.stepMs })
  const explicit = query.from !== undefined || query.to !== undefined
  const evidence = explicit
    ? await spannedEvidence(db, validation, window, { from, to })
    : await judgedEvidence(db, validation, window)

  const kept = resolutionsSince(Math.max(from, window.began_at.getTime()), window.bucket_ms, clock.now())
  const { bucketMs, stepMs } = resolve(kept, query.stepMs, to - from)
  const range = await readSteps(db, window, evidence.range, { from, to, bucketMs, stepMs })
  return viewEvidence(validation, of, evidence, { steps: splitBySteps(range, stepMs), stepMs })
}

interface Viewed {
  slice: string
  output: string
}

/** Slices are kept in one bucket width only, and have no coverage, as mirrors do not report skips by slice. */
async function viewSliceMetrics(
  db: Comparator['db'],
  validation: KnownValidation,
  window: WindowRow,
  asked: Viewed & TimeSpan & { stepMs: Milliseconds | undefined },
): Promise<MetricsView> {
  const { slice, from, to } = asked
  const evidence = await readSlice(db, window, slice, { from, to })
  const hour = hourIn(slice)
  const { bucketMs, stepMs } = resolve(
    [hour === null ? sliceBucketOf(window) : window.bucket_ms],
    asked.stepMs,
    to - from,
  )
  const query = { windowId: window.id, bucketMs, ...wholeBuckets({ from, to }, bucketMs) }
  const range =
    hour === null
      ? await readRollups(db, { ...query, slice, groupMs: stepMs })
      : withinHour(await readRollups(db, { ...query, groupMs: bucketMs }), hour)
  const view = viewEvidence(validation, asked, evidence, { steps: splitBySteps(range, stepMs), stepMs })
  const coverage = { estimate: null, lower: null, upper: null, n: view.bounds.coverage?.n ?? 0 }
  return { ...view, totals: { ...view.totals, coverage: null }, bounds: { ...view.bounds, coverage } }
}

/** The evidence that the gate would see of a span that the reader chose. */
async function spannedEvidence(db: Comparator['db'], validation: KnownValidation, window: WindowRow, span: TimeSpan) {
  const evidence = await readEvidence(db, window, span)
  const noiseFloor = await noiseFloorEvidence(db, validation, window, span)
  return { ...evidence, ...(noiseFloor && { noiseFloor }) }
}

/** The rollups to cut the steps from. Where they are the gate's own buckets, its sums are reused. */
async function readSteps(
  db: Comparator['db'],
  window: WindowRow,
  judged: RollupRange,
  { from, to, bucketMs, stepMs }: TimeSpan & { bucketMs: Milliseconds; stepMs: Milliseconds },
): Promise<RollupRange> {
  const whole = wholeBuckets({ from, to }, bucketMs)
  const query = { windowId: window.id, bucketMs, ...whole, groupMs: stepMs }
  const isJudged = bucketMs === judged.bucketMs && whole.from === judged.from && whole.to === judged.to
  return isJudged ? { ...judged, groups: await readGroups(db, query) } : readRollups(db, query)
}

/** The coarsest bucket width that fits the wanted step, and the step as a multiple of it within `stepsMax`. */
function resolve(widths: Milliseconds[], wanted: Milliseconds | undefined, spanMs: Milliseconds) {
  const target = Math.max(wanted ?? spanMs / stepsDefault, spanMs / stepsMax, 1)
  const bucketMs = widths.find((width) => width <= target) ?? widths.at(-1)!
  // tolerance: the last millisecond of a window of 30 days must not make its steps longer than half a day
  const stepMs = bucketMs * Math.max(1, Math.ceil(target / bucketMs - 1e-3))
  return { bucketMs, stepMs: wanted === undefined ? roundedWidth(stepMs, bucketMs) : stepMs }
}

function viewEvidence(
  { policy }: KnownValidation,
  { slice, output }: Viewed,
  { range, exchanges, noiseFloor }: Evidence & Pick<JudgedEvidence, 'noiseFloor'>,
  { steps, stepMs }: { steps: RollupRange[]; stepMs: Milliseconds },
): MetricsView {
  const empty = range.buckets.length === 0
  const merged = evidenceOf(range)
  const ofOutput = evidenceUnder(merged, outputPrefix(output))
  const outputPolicy = policyOfOutput(policy, output)
  return {
    slice,
    output,
    from: empty ? null : new Date(range.from).toISOString(),
    to: empty ? null : new Date(range.to).toISOString(),
    stepMs,
    totals: totalsOf(policy, range, exchanges),
    bounds: boundsOf(policy, range, exchanges),
    // a step is read without what mirrors skipped, so its coverage is unknown
    series: drawnSteps(steps.map((step) => ({ ...totalsOf(policy, step), coverage: null }))).map((drawn, index) => ({
      at: new Date(steps[index]!.from).toISOString(),
      ...drawn,
    })),
    seriesBounds: seriesBoundsOf(policy, steps),
    distributions: { ...latencyDistributionsOf(merged), ...outputDistributionsOf(outputPolicy.output.kind, ofOutput) },
    psi: psiPartsOf(outputPolicy.output.kind, ofOutput),
    confusion: confusionOf(outputPolicy, ofOutput),
    noiseFloor: noiseFloor
      ? {
          validation: policy.noiseFloor!,
          bounds: modelBounds(boundsOf(policy, noiseFloor.range, noiseFloor.exchanges)),
        }
      : null,
  }
}

function seriesBoundsOf(policy: Policy, steps: readonly RollupRange[]): MetricsView['seriesBounds'] {
  const bounds = steps.map((step) => stepBoundsOf(policy, step))
  const names = new Set(bounds.flatMap((ofStep) => Object.keys(ofStep)))
  names.delete('coverage')
  const column = (name: string, side: 'lower' | 'upper') =>
    bounds.map((ofStep) => shortened(ofStep[name]?.[side] ?? null))
  return Object.fromEntries(
    [...names]
      .map((name) => [name, { lower: column(name, 'lower'), upper: column(name, 'upper') }] as const)
      .filter(([, { lower, upper }]) => [...lower, ...upper].some((value) => value !== null)),
  )
}

/** Without metrics that are not about a model. */
function modelBounds(bounds: MetricsView['bounds']): MetricsView['bounds'] {
  return Object.fromEntries(
    Object.entries(bounds).filter(([name]) => !/^(samples|coverage|latency\.queue)\b/.test(name)),
  )
}
