import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import { spannedBy } from '../gate/spanned.ts'
import { type Exchanges, exchangesOf } from '../metrics/exchanges.ts'
import { binGroupWidth, type RollupRange } from '../metrics/rollup-range.ts'
import { reportedSkips } from '../store/coverage.ts'
import { newestWindowOf } from '../store/newest-window.ts'
import type { Db, Tx } from '../store/open-database.ts'
import { readRollups } from '../store/rollups.ts'
import type { WindowRow } from '../store/tables.ts'
import { windowsUnderPolicy } from '../store/windows.ts'
import type { KnownValidation } from './comparator.ts'

/** The window that evidence comes into now; none before the first observation under this policy. */
export async function currentWindow(db: Db | Tx, validation: KnownValidation): Promise<WindowRow | undefined> {
  const [window] = await windowsUnderPolicy(db, [validation])
  return window
}

export interface Evidence {
  range: RollupRange
  exchanges: Exchanges
}
export interface JudgedEvidence extends Evidence {
  spannedMs: Milliseconds
  /** The primary against itself over the same time, where the policy names who measures it. */
  noiseFloor?: Evidence
}

/** What the gate judges: the last `duration` of the window, up to its newest observation, in whole buckets. */
export async function judgedEvidence(
  db: Db | Tx,
  validation: KnownValidation,
  window: WindowRow,
): Promise<JudgedEvidence> {
  const { duration } = validation.policy.window
  const beganAt = window.began_at.getTime()
  const lastAt = window.last_at.getTime()
  const span = { from: Math.max(beganAt, lastAt - duration), to: lastAt + 1 }
  const { range, exchanges } = await readEvidence(db, validation, window, span)
  const noiseFloor = await noiseFloorEvidence(db, validation, window, span)
  const spannedMs = spannedBy(range, { beganAt, lastAt, duration })
  return { range, exchanges, spannedMs, ...(noiseFloor && { noiseFloor }) }
}

async function noiseFloorEvidence(
  db: Db | Tx,
  { policy }: KnownValidation,
  { primary_version }: WindowRow,
  span: { from: EpochMs; to: EpochMs },
): Promise<Evidence | undefined> {
  if (policy.noiseFloor === undefined) return undefined
  const window = await newestWindowOf(db, policy.noiseFloor, primary_version)
  return window && readEvidence(db, { name: policy.noiseFloor }, window, span)
}

/** The buckets that touch [from, to), as a whole. */
export function wholeBuckets({ from, to }: { from: EpochMs; to: EpochMs }, bucketMs: Milliseconds) {
  return { from: Math.floor(from / bucketMs) * bucketMs, to: Math.ceil(to / bucketMs) * bucketMs }
}

/** The evidence of whole buckets that touch [from, to). */
export async function readEvidence(
  db: Db | Tx,
  validation: Pick<KnownValidation, 'name'>,
  window: WindowRow,
  span: { from: EpochMs; to: EpochMs },
  resolution: { bucketMs: Milliseconds; groupMs?: Milliseconds } = { bucketMs: window.bucket_ms },
): Promise<Evidence> {
  const { bucketMs } = resolution
  const { from, to } = wholeBuckets(span, bucketMs)
  const groupMs = resolution.groupMs ?? binGroupWidth({ from, to, bucketMs })
  const range = await readRollups(db, { windowId: window.id, bucketMs, from, to, groupMs })
  const skips = await reportedSkips(db, validation.name, from, to)
  return { range, exchanges: exchangesOf(range, skips) }
}

export function emptyEvidence(bucketMs: Milliseconds): JudgedEvidence {
  const range: RollupRange = { from: 0, to: 0, bucketMs, buckets: [], binGroups: [] }
  return { range, exchanges: exchangesOf(range, []), spannedMs: 0 }
}
