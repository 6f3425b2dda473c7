import type { WindowView } from '../../../vocabulary/api/gate.ts'
import type { Policy } from '../../../vocabulary/policy.ts'
import { hourIn } from '../../../vocabulary/slice/slice-key.ts'
import type { EpochMs, Milliseconds, TimeSpan } from '../../../vocabulary/units.ts'
import type { GateInput } from '../../gate/evaluate.ts'
import type { Freshness } from '../../gate/judge-evidence.ts'
import { spanBefore, spannedBy } from '../../gate/spanned.ts'
import { rangeOfHour } from '../../metrics/evidence/cut-range.ts'
import { type Exchanges, exchangesOf, hasCompared, type ReportedSkip } from '../../metrics/evidence/exchanges.ts'
import { groupWidth, type RollupRange } from '../../metrics/rollup-range.ts'
import type { Db, Tx } from '../../store/database/open-database.ts'
import type { WindowRow } from '../../store/database/tables.ts'
import { lastObservationOf, newestWindowOf, windowsUnderPolicy } from '../../store/gate/windows.ts'
import { reportedSkips } from '../../store/intake/coverage.ts'
import { readRollups } from '../../store/rollups/rollups.ts'
import { sliceBucketOf } from '../bucket-deltas.ts'
import type { KnownValidation } from '../comparator.ts'
import { lastComparedBucket } from './last-compared.ts'

/** The window that current evidence belongs to; `undefined` before the first observation under this policy. */
export async function currentWindow(db: Db | Tx, validation: KnownValidation): Promise<WindowRow | undefined> {
  const [window] = await windowsUnderPolicy(db, [validation], 1)
  return window
}

export interface Evidence {
  range: RollupRange
  exchanges: Exchanges
}
export interface JudgedEvidence extends Evidence {
  spannedMs: Milliseconds
  /** The primary compared with itself over the same time, if the policy names a noise floor. */
  noiseFloor?: NoiseFloorEvidence
  /** The slices that the policy's checks are about, by key. */
  slices?: Record<string, Evidence>
}
type NoiseFloorEvidence = Evidence & Pick<JudgedEvidence, 'slices'> & { state: NonNullable<WindowView['noiseFloor']> }

/** The evidence that the gate judges: the window's last `duration` up to its newest observation, in whole buckets. */
export async function judgedEvidence(
  db: Db | Tx,
  validation: KnownValidation,
  window: WindowRow,
): Promise<JudgedEvidence> {
  const { duration } = validation.policy.window
  const beganAt = window.began_at.getTime()
  const lastAt = window.last_at.getTime()
  const span = judgedSpan(validation.policy, window)
  const { range, exchanges } = await readEvidence(db, window, span)
  const noiseFloor = await noiseFloorEvidence(db, validation, window, span)
  const judged = { beganAt, lastAt, duration }
  const earlier = spanBefore(range, judged)
  const query = { windowId: window.id, bucketMs: range.bucketMs }
  const before = earlier && (await lastComparedBucket(db, { ...query, ...earlier }))
  const spannedMs = spannedBy(range, { ...judged, before })
  const slices = await judgedSlices(db, validation.policy, window, span)
  return { range, exchanges, spannedMs, ...(noiseFloor && { noiseFloor }), ...slices }
}

/** What the gate judges: the evidence and, where the policy limits its age, how old it was when it was judged. */
export function gateInputOf(
  policy: Policy,
  window: WindowRow | undefined,
  evidence: JudgedEvidence,
  judgedAt: EpochMs,
): GateInput {
  const freshness = freshnessOf(policy, window, evidence.range, judgedAt)
  return { policy, ...evidence, ...(freshness && { freshness }) }
}

/**
 * `undefined` where the policy has no `ageMax`, or nothing was compared. Exchanges may have been skipped after the last
 * that was compared, whose time is known to a bucket.
 */
function freshnessOf(
  { window: { ageMax } }: Policy,
  window: WindowRow | undefined,
  { buckets, bucketMs }: RollupRange,
  judgedAt: EpochMs,
): Freshness | undefined {
  const newest = buckets.findLast(({ sums }) => hasCompared(sums))
  if (ageMax === undefined || window === undefined || newest === undefined) return undefined
  return { newestAt: Math.min(window.last_at.getTime(), newest.at + bucketMs - 1), judgedAt }
}

export function judgedSpan({ window: { duration } }: Policy, { began_at, last_at }: WindowRow): TimeSpan {
  const lastAt = last_at.getTime()
  return { from: Math.max(began_at.getTime(), lastAt - duration), to: lastAt + 1 }
}

/** The span asked for; where an end was left out, that of the span that the gate judges. */
export function askedSpan(policy: Policy, window: WindowRow, asked: Partial<TimeSpan>): TimeSpan {
  const judged = judgedSpan(policy, window)
  const to = asked.to ?? Math.max(judged.to, asked.from ?? judged.to)
  return { from: asked.from ?? Math.min(judged.from, to), to }
}

async function judgedSlices(
  db: Db | Tx,
  { gate }: Policy,
  window: WindowRow,
  span: TimeSpan,
): Promise<Pick<JudgedEvidence, 'slices'>> {
  const keys = new Set(gate.flatMap(({ slice }) => slice ?? []))
  if (keys.size === 0) return {}
  const slices: Record<string, Evidence> = {}
  for (const key of keys) slices[key] = await readSlice(db, window, key, span)
  return { slices }
}

/** The evidence of one slice. Its exchanges are those observed only, as mirrors do not report skips by slice. */
export async function readSlice(db: Db | Tx, window: WindowRow, slice: string, span: TimeSpan): Promise<Evidence> {
  const hour = hourIn(slice)
  const bucketMs = hour === null ? sliceBucketOf(window) : window.bucket_ms
  const query = { windowId: window.id, bucketMs, ...wholeBuckets(span, bucketMs) }
  const range =
    hour === null
      ? await readRollups(db, { ...query, slice, groupMs: groupWidth(query) })
      : rangeOfHour(await readRollups(db, { ...query, groupMs: bucketMs }), hour)
  return { range, exchanges: exchangesOf(range, []) }
}

/** The primary compared with itself over the same time; `undefined` without a noise floor or its evidence. */
export async function noiseFloorEvidence(
  db: Db | Tx,
  { policy }: KnownValidation,
  judged: WindowRow,
  span: TimeSpan,
): Promise<NoiseFloorEvidence | undefined> {
  if (policy.noiseFloor === undefined) return undefined
  const window = await newestWindowOf(db, policy.noiseFloor, judged)
  if (window === undefined) return undefined
  const evidence = await readEvidence(db, window, span)
  const state = { windowId: window.id, revision: window.revision }
  return { ...evidence, ...(await judgedSlices(db, policy, window, span)), state }
}

/** The span widened to whole buckets. */
export function wholeBuckets({ from, to }: TimeSpan, bucketMs: Milliseconds): TimeSpan {
  return { from: Math.floor(from / bucketMs) * bucketMs, to: Math.ceil(to / bucketMs) * bucketMs }
}

/** The window's evidence in all buckets that overlap the span. */
export async function readEvidence(db: Db | Tx, window: WindowRow, span: TimeSpan): Promise<Evidence> {
  const bucketMs = window.bucket_ms
  const { from, to } = wholeBuckets(span, bucketMs)
  const groupMs = groupWidth({ from, to, bucketMs })
  const range = await readRollups(db, { windowId: window.id, bucketMs, from, to, groupMs })
  // mirrors report no models: what was skipped before the window began was not of its models
  const since = Math.max(from, wholeBuckets({ from: window.began_at.getTime(), to }, bucketMs).from)
  const skips = since < to ? await reportedSkips(db, window.validation, since, to) : []
  return { range, exchanges: exchangesOf(range, skips) }
}

/**
 * What there is before the first window: the exchanges that mirrors skipped in the last `duration`, but not those from
 * before the last observation under another policy.
 */
export async function evidenceBeforeWindow(
  db: Db | Tx,
  { name, policy, bucketMs }: KnownValidation,
  now: EpochMs,
): Promise<JudgedEvidence> {
  const earlier = await lastObservationOf(db, name)
  const span = { from: Math.max(now - policy.window.duration, earlier?.getTime() ?? 0), to: now + 1 }
  return emptyEvidence(bucketMs, span, await reportedSkips(db, name, span.from, span.to))
}

export function emptyEvidence(
  bucketMs: Milliseconds,
  span: TimeSpan = { from: 0, to: 0 },
  skips: readonly ReportedSkip[] = [],
): JudgedEvidence {
  const range: RollupRange = { ...span, bucketMs, buckets: [], groups: [] }
  return { range, exchanges: exchangesOf(range, skips), spannedMs: 0 }
}
